import { createServer, type Server, type Socket } from 'node:net';
import { ByteQueue } from '../wire/byte-queue.ts';
import { encodeExportInfo, encodeInfoRequest } from '../wire/export-info.ts';
import { exportFlag, handshakeFlag, option, optionReply } from '../wire/numbers.ts';
import { encodeGreeting, encodeOption, encodeOptionReply } from '../wire/options.ts';
import { parseRequest, type RequestHead, requestHeadBytes } from '../wire/requests.ts';

const flags = exportFlag.HAS_FLAGS | exportFlag.SEND_FLUSH | exportFlag.SEND_FUA | exportFlag.SEND_WRITE_ZEROES;

/** What a server sends up to the transmission of an export, at once and without reading. */
export function wholeHandshake(sizeBytes: bigint, exportFlags: number = flags): Buffer {
  return Buffer.concat([
    encodeGreeting(handshakeFlag.FIXED_NEWSTYLE),
    encodeOptionReply(option.GO, optionReply.INFO, encodeExportInfo({ sizeBytes, flags: exportFlags })),
    encodeOptionReply(option.GO, optionReply.ACK),
  ]);
}

/** Like {@link wholeHandshake}, with structured replies and `base:allocation` as context 5. */
export function structuredHandshake(sizeBytes: bigint): Buffer {
  const id = Buffer.alloc(4);
  id.writeUInt32BE(5, 0);
  return Buffer.concat([
    encodeGreeting(handshakeFlag.FIXED_NEWSTYLE),
    encodeOptionReply(option.STRUCTURED_REPLY, optionReply.ACK),
    encodeOptionReply(
      option.SET_META_CONTEXT,
      optionReply.META_CONTEXT,
      Buffer.concat([id, Buffer.from('base:allocation')]),
    ),
    encodeOptionReply(option.SET_META_CONTEXT, optionReply.ACK),
    wholeHandshake(sizeBytes).subarray(18),
  ]);
}

/** Bytes that a client sends up to its first request. */
export function clientHandshakeBytes(exportName: string): number {
  return 4 + encodeOption(option.GO, encodeInfoRequest({ name: exportName, wants: [] })).length;
}

export interface ScriptedServer extends AsyncDisposable {
  path: string;
}

/** Sends `first` to every client; then `answer` gets each request without data, after `skipBytes` of the client's handshake. */
export async function scriptedServer(
  path: string,
  first: Uint8Array,
  answer?: { skipBytes: number; to(request: RequestHead, socket: Socket): void },
): Promise<ScriptedServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    const queue = new ByteQueue();
    let skipped = false;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      queue.push(bytes);
      skipped ||= answer !== undefined && queue.takeList(answer.skipBytes) !== undefined;
      while (skipped) {
        const head = queue.takeHead(requestHeadBytes);
        const request = head === undefined ? undefined : parseRequest(head);
        if (request === undefined) break;
        answer?.to(request, socket);
      }
    });
    socket.write(first);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
