#!/usr/bin/env node
// `npx ptxray COMMAND ...`: as the program, with the files of the system.
import { compiled } from "./index.mjs";
import { disk, stream } from "./disk.mjs";
import { instantiate, run } from "../wasi.mjs";
import { DebugAdapter, Server } from "../server.mjs";

const env = { ...process.env, PWD: process.cwd() };

/// Messages come in whole or in pieces; each is handed to the peer when all of it is there. `isLast(message)`: it ends.
function serve(peer, isLast) {
  let rest = Buffer.alloc(0);
  process.stdin.on("data", (part) => {
    rest = Buffer.concat([rest, part]);
    for (;;) {
      const head = rest.indexOf("\r\n\r\n"),
        size = Number(/Content-Length: *(\d+)/i.exec(rest.subarray(0, head))?.[1]);
      if (head < 0 || rest.length < head + 4 + size) return;
      const body = rest.subarray(head + 4, head + 4 + size).toString();
      rest = rest.subarray(head + 4 + size);
      for (const answer of peer.send(body))
        process.stdout.write(`Content-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`);
      if (isLast(JSON.parse(body))) process.exit(0);
    }
  });
  process.stdin.on("end", () => process.exit(1));
}

function main(args) {
  const options = { disk, env };
  if (args[0] === "lsp" && args.length === 1)
    return serve(new Server(compiled(), options), ({ method }) => method === "exit");
  if (args[0] === "dap" && args.slice(1).every((word) => word === "--stdio"))
    return serve(new DebugAdapter(compiled(), options), ({ command }) => ["disconnect", "terminate"].includes(command));
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
