// The language server, or with files a debug adapter. The first message is {program, files}, the others are the protocol's.
import { DebugAdapter, memoryDisk, Server } from "../../playground/server.mjs";

let peer;
onmessage = ({ data }) => {
  if (!peer) {
    const module = new WebAssembly.Module(data.program);
    peer = data.files ? new DebugAdapter(module, { disk: memoryDisk(data.files) }) : new Server(module);
  } else for (const answer of peer.send(JSON.stringify(data))) postMessage(JSON.parse(answer));
};
