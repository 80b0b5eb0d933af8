/** Lines and columns count from 1, columns in bytes; offsets are bytes from 0. */
export interface Place {
  line: number;
  column: number;
  offset: number;
}
export interface Range {
  start: Place;
  end: Place;
}
export interface Diagnostic {
  /** The rule, as `ptxray explain` knows it. */
  rule: string;
  severity: "error" | "warning" | "pedantic";
  message: string;
  range: Range;
  args: Record<string, unknown>;
  notes: { message: string; range?: Range }[];
  fix?: { title: string; safe: boolean; edits: { offset: number; length: number; text: string }[] };
  /** The place in the source of PTX that a compiler made. */
  origin?: { path: string; line: number };
  /** The section of the manual. */
  manual?: string;
  manualLink?: { title: string; url: string; version: string };
  spec?: string;
}
export interface Report {
  path: string;
  /** The `.version` and the `.target` that the text was checked for. */
  ptx: string | null;
  target: string | null;
  diagnostics: Diagnostic[];
}
export interface CheckOptions {
  /** What the text is called; its ending says the language. Default: `text.ptx`. */
  name?: string;
  language?: "ptx" | "cuda" | "python" | "llvm" | "rust";
  /** Check as if `.target` and `.version` were these. */
  target?: string;
  ptx?: string;
  /** Check that the text can be compiled for this GPU. */
  arch?: string;
  pedantic?: boolean;
  /** Rules that are not reported. */
  off?: string[];
}

/** What is wrong with a text. Throws if an option is not one of ptxray's. */
export function check(text: string, options?: CheckOptions): Report;

/** The text, laid out. */
export function format(text: string): string;

export interface Outcome {
  status: number;
  stdout: string;
  stderr: string;
  /** The files that the command wrote, by name. */
  written: Record<string, Uint8Array>;
}

/** Any command of ptxray, over files in memory: `command(["targets", "a.ptx"], { files: { "a.ptx": text } })`. */
export function command(
  args: string[],
  options?: { files?: Record<string, string | Uint8Array>; stdin?: string | Uint8Array },
): Outcome;

/** The compiled program, for the classes of `ptxray/server`. */
export function compiled(): WebAssembly.Module;
