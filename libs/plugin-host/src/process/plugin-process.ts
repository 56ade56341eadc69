import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildExit, childRunner, outputLines } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { connectUnix, type GeneratedClient, type ServiceClient, unaryPeer } from '@lateen/grpc';
import { type Clock, durationText, type Logger, orAborted, settledOrAborted } from '@lateen/kernel';
import { goPlugin, handshakeEnvironment, socketOfHandshake } from '@lateen/plugin-protocol';
import type { ProgramFile } from '../discover/find-programs.ts';
import type { PluginLimits } from '../limits.ts';
import { endedError } from './ended-error.ts';
import { folderPrefix } from './left-folders.ts';
import { limitMemory, type MemoryLimit } from './limit-memory.ts';
import { type ProcessLog, processLog } from './process-log.ts';
import { readStdio } from './read-stdio.ts';

/** A running plugin program that has reported its address. */
export interface PluginProcess {
  /** A client of one of its services; all clients share a connection. */
  client<Server>(make: GeneratedClient): ServiceClient<Server>;
  /** Aborts when the process has ended; the reason is an AppError PLUGIN_PROGRAM_ENDED that says how. */
  readonly ended: AbortSignal;
  /**
   * Asks it to end, and kills it when it does not; kills it at once with `now`. Resolves when it has ended and its last lines are logged. Never
   * rejects.
   */
  stop(now?: boolean): Promise<void>;
}

export interface StartOptions {
  program: ProgramFile;
  args: readonly string[];
  /** Its whole environment, except for the handshake's variables. */
  env: Readonly<Record<string, string>>;
  limits: PluginLimits;
  /** No limit when absent. */
  memoryBytesMax?: number | undefined;
  /** Folder for its socket and its temporary files, which is removed with the process. */
  temporaryDirectory: string;
  clock: Clock;
  /** Receives its lines. */
  log: Logger;
}

/**
 * Starts a program and waits until it reports its address.
 * @throws PLUGIN_PROGRAM_NOT_STARTED with the cause; nothing runs then. The signal's reason on abort
 */
export async function startPluginProcess(options: StartOptions, signal: AbortSignal): Promise<PluginProcess> {
  const { program, clock, limits } = options;
  signal.throwIfAborted();
  const running = await runProgram(options);
  const late = clock.deadline(limits.startMs);
  try {
    const line = await orAborted(running.firstLine, AbortSignal.any([signal, late, running.ended]));
    const socket = socketOfHandshake(line);
    return connected(options, running, `unix://${socket}`);
  } catch (error) {
    await running.kill();
    signal.throwIfAborted();
    const silent = () => new AppError('PLUGIN_HANDSHAKE', `it gave no address within ${durationText(limits.startMs)}`);
    throw notStarted(program, late.aborted && error === late.reason ? silent() : error);
  }
}

function notStarted(program: ProgramFile, cause: unknown): AppError {
  return new AppError('PLUGIN_PROGRAM_NOT_STARTED', `plugin program ${program.path} cannot be used`, { cause });
}

interface RunningProgram {
  firstLine: Promise<string>;
  ended: AbortSignal;
  log: ProcessLog;
  /** Resolves when it has ended. */
  kill(): Promise<void>;
  gone: Promise<void>;
}

async function runProgram(options: StartOptions): Promise<RunningProgram> {
  const { program, clock, limits, memoryBytesMax } = options;
  await mkdir(options.temporaryDirectory, { recursive: true, mode: 0o700 });
  const directory = await mkdtemp(join(options.temporaryDirectory, folderPrefix));
  const named = options.log.child({ pluginName: program.name, cmd: program.path });
  const log = processLog(named, clock, limits.logLinesPerSecond);
  const killed = new AbortController();
  const ended = new AbortController();
  const firstLine = Promise.withResolvers<string>();
  let shaken = false;
  const handshake = outputLines((line) => {
    if (!shaken) firstLine.resolve(line);
    else log.stdout(`${line}\n`);
    shaken = true;
  });
  let memory: MemoryLimit | undefined;
  const kill = () => killed.abort();
  const run = childRunner({ program: program.path, clock, graceMs: 0 }).run({
    args: options.args,
    // Programs on an old go-plugin create their socket in the folder for temporary files.
    env: { ...options.env, ...handshakeEnvironment(directory), TMPDIR: directory },
    onStart: (pid) => {
      if (memoryBytesMax === undefined) return;
      memory = limitMemory(pid, memoryBytesMax, { clock, log: named, checkMs: limits.memoryCheckMs, kill });
    },
    onStdout: (chunk) => handshake.push(chunk.toString('utf8')),
    onStderr: log.stderr,
    signal: killed.signal,
  });
  const finish = async (error: (reason?: string) => unknown) => {
    handshake.end();
    log.end();
    ended.abort(error(await memory?.end()));
    await rm(directory, { recursive: true, force: true }).catch(() => {});
  };
  const gone = run.then(
    (exit: ChildExit) => finish((reason) => endedError(program.name, exit, reason)),
    (error: unknown) => finish(() => error),
  );
  return {
    firstLine: firstLine.promise,
    ended: ended.signal,
    log,
    gone,
    kill: () => {
      kill();
      // A child process that keeps its output open must not delay the end.
      return settledOrAborted(gone, clock.deadline(limits.endMs));
    },
  };
}

function connected(options: StartOptions, running: RunningProgram, endpoint: string): PluginProcess {
  const { clock, limits } = options;
  const clients = new Map<GeneratedClient, ServiceClient<unknown> & Disposable>();
  const answerBytesMax = limits.replyBytesMax;
  const peer = unaryPeer(endpoint, answerBytesMax);
  const client = <Server>(make: GeneratedClient): ServiceClient<Server> => {
    const known = clients.get(make) ?? connectUnix<unknown>(endpoint, make, { answerBytesMax, unaryPeer: peer });
    clients.set(make, known);
    return known as unknown as ServiceClient<Server>;
  };
  running.ended.addEventListener('abort', () => {
    for (const one of [peer, ...clients.values()]) one[Symbol.dispose]();
  });
  void readStdio(client(goPlugin.GRPCStdioClient), running.log, running.ended);
  const ask = async (signal: AbortSignal) => {
    await client<goPlugin.GRPCControllerServer>(goPlugin.GRPCControllerClient).shutdown({}, { signal });
    await orAborted(running.gone, signal);
  };
  let stopped: Promise<void> | undefined;
  const end = async () => {
    const late = AbortSignal.any([clock.deadline(limits.endMs), running.ended]);
    // The answer does not matter, only whether it has ended.
    await settledOrAborted(ask(late), late);
    await running.kill();
  };
  const stop = (now = false) => {
    stopped = now ? running.kill() : (stopped ?? end());
    return stopped;
  };
  return { client, ended: running.ended, stop };
}
