// Marks of the lines where warps are while a kernel is stepped through. An edit takes them away.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

export const setPlaces = StateEffect.define();

function marksOf(list, doc) {
  const kinds = new Map(); // a line's marks
  for (const { line, what } of list)
    if (line >= 1 && line <= doc.lines) kinds.set(line, new Set([...(kinds.get(line) ?? []), `cm-place-${what}`]));
  const lines = [...kinds.keys()].sort((one, other) => one - other);
  return Decoration.set(
    lines.map((line) => Decoration.line({ class: [...kinds.get(line)].join(" ") }).range(doc.line(line).from)),
  );
}

export const places = StateField.define({
  create: () => Decoration.none,
  update(marks, { docChanged, effects, state }) {
    for (const effect of effects) if (effect.is(setPlaces)) return marksOf(effect.value, state.doc);
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});
