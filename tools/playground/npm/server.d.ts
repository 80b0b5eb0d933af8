/** Where a program finds files: those of `memoryDisk`, or calls of one's own. */
export interface Disk {
  stat(path: string, follows: boolean): object | number;
  open(path: string, how: object): object | number;
}
/** Files in memory, in the folder `/`. */
export function memoryDisk(files: Record<string, Uint8Array>): Disk;

interface Options {
  disk?: Disk;
  env?: Record<string, string>;
}

/** The language server. `send` takes a message of the Language Server Protocol as JSON and gives what it is answered with. */
export class Server {
  constructor(module: WebAssembly.Module, options?: Options);
  send(message: string): string[];
}

/** The debug adapter: one launch of a kernel. */
export class DebugAdapter extends Server {
  /** Makes a request of the Debug Adapter Protocol. */
  request(command: string, args?: object): { success: boolean; message?: string; body?: unknown; events: object[] };
}
