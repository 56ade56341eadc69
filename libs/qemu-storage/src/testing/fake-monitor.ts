import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface MonitorCommand {
  execute: string;
  arguments: Record<string, unknown>;
  id: number;
}

export interface Talk {
  /** Answers a command. */
  give(value: unknown): void;
  refuse(description: string): void;
  tell(event: string, data: Record<string, unknown>): void;
  /** Sends bytes unchanged. */
  write(text: string): void;
  /** Closes the connection. */
  end(): void;
}

export interface FakeMonitor extends AsyncDisposable {
  path: string;
  /** The received commands, without the handshake. */
  commands: MonitorCommand[];
}

/** The greeting of a daemon of that release. */
export const greetingOf = (major: number, minor: number, micro: number): string =>
  `${JSON.stringify({ QMP: { version: { qemu: { major, minor, micro }, package: '' }, capabilities: ['oob'] } })}\r\n`;

/** A monitor that answers as the test says; other commands get no response. */
export async function fakeMonitor(
  answer: (command: MonitorCommand, talk: Talk) => void,
  first: string = greetingOf(7, 2, 22),
): Promise<FakeMonitor> {
  const dir = await mkdtemp(join(tmpdir(), 'lateen-qmp-'));
  const path = join(dir, 'monitor');
  const commands: MonitorCommand[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write(first);
    let rest = '';
    socket.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(JSON.parse(line), socket);
    });
  });
  const take = (command: MonitorCommand, socket: Socket): void => {
    const send = (message: unknown): void => void socket.write(`${JSON.stringify(message)}\r\n`);
    const talk: Talk = {
      give: (value) => send({ return: value, id: command.id }),
      refuse: (desc) => send({ error: { class: 'GenericError', desc }, id: command.id }),
      tell: (event, data) => send({ event, data, timestamp: {} }),
      write: (text) => void socket.write(text),
      end: () => socket.destroy(),
    };
    if (command.execute === 'qmp_capabilities') talk.give({});
    else {
      commands.push(command);
      answer(command, talk);
    }
  };
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const dispose = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(dir, { recursive: true, force: true });
  };
  return { path, commands, [Symbol.asyncDispose]: dispose };
}

/** The answer of `query-qmp-schema` in a release, as far as the used commands need it: recorded from the real program. */
export async function recordedSchema(release: '7.2.22' | '10.0.2'): Promise<unknown> {
  return JSON.parse(
    await readFile(new URL(`../daemon/testdata/schema-${release}.json`, import.meta.url), 'utf8'),
  ) as unknown;
}
