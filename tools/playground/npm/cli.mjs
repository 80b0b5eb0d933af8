#!/usr/bin/env node
// `npx ptxray COMMAND ...`: as the program, with the files of the system.
import { compiled } from "./index.mjs";
import { disk, stream } from "./disk.mjs";
import { instantiate, run } from "../wasi.mjs";
import { Server } from "../server.mjs";

const env = { ...process.env, PWD: process.cwd() };

/// Messages come in whole or in pieces; each is handed to the server when all of it is there.
function serve() {
  const server = new Server(compiled(), { disk, env });
  let rest = Buffer.alloc(0);
  process.stdin.on("data", (part) => {
    rest = Buffer.concat([rest, part]);
    for (;;) {
      const head = rest.indexOf("\r\n\r\n"),
        size = Number(/Content-Length: *(\d+)/i.exec(rest.subarray(0, head))?.[1]);
      if (head < 0 || rest.length < head + 4 + size) return;
      const body = rest.subarray(head + 4, head + 4 + size).toString();
      rest = rest.subarray(head + 4 + size);
      for (const answer of server.send(body))
        process.stdout.write(`Content-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`);
      if (JSON.parse(body).method === "exit") process.exit(0);
    }
  });
  process.stdin.on("end", () => process.exit(1));
}

function main(args) {
  if (args[0] === "lsp" && args.length === 1) return serve();
  const streams = [0, 1, 2].map(stream);
  try {
    process.exitCode = run(instantiate(compiled(), { args, env, disk, streams }));
  } catch (error) {
    if (error.code === "EPIPE") process.exitCode = 0;
    else {
      process.stderr.write(`ptxray stopped: ${error}\n`);
      process.exitCode = 70;
    }
  }
}

main(process.argv.slice(2));
