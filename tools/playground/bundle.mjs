// Makes the scripts of the page: node bundle.mjs PACKAGES OUTPUT EXAMPLES.json, where PACKAGES is a folder with node_modules.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";

const [packages, output, examples] = process.argv.slice(2);
const { build } = createRequire(path.resolve(packages, "package.json"))("esbuild");
const here = import.meta.dirname;
const common = {
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  nodePaths: [path.resolve(packages, "node_modules")],
  legalComments: "none",
};

const worker = await build({ ...common, entryPoints: [path.join(here, "page/worker.js")], write: false });

/// The page allows no style that is written into it. style-mod, which CodeMirror writes its own with, knows sheets that are
/// made by a script, and uses them in shadow trees only.
const adoptedSheets = {
  name: "adopted-sheets",
  setup({ onLoad }) {
    onLoad({ filter: /style-mod\.js$/ }, ({ path: file }) => {
      const text = readFileSync(file, "utf8"),
        changed = text.replace("!root.head && root.adoptedStyleSheets", "root.adoptedStyleSheets");
      if (changed === text) throw new Error("style-mod is not as it was: bundle.mjs");
      return { contents: changed };
    });
  },
};

/// Modules that are made here: the worker's script and the examples.
const made = {
  name: "made",
  setup({ onResolve, onLoad }) {
    const texts = { "worker-text": worker.outputFiles[0].text, examples: readFileSync(examples, "utf8") };
    onResolve({ filter: /^(worker-text|examples)$/ }, ({ path: name }) => ({ path: name, namespace: "made" }));
    onLoad({ filter: /.*/, namespace: "made" }, ({ path: name }) => ({
      contents: texts[name],
      loader: name === "examples" ? "json" : "text",
    }));
  },
};

for (const [script, name] of Object.entries({ start: "start.js", main: "app.js" }))
  await build({
    ...common,
    entryPoints: [path.join(here, `page/${script}.js`)],
    outfile: path.join(output, name),
    plugins: [adoptedSheets, made],
  });
