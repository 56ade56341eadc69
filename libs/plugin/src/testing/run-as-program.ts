import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ChildExit, childRunner, outputLines } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { orAborted, systemClock } from '@lateen/kernel';
import { handshakeEnvironment, type PluginLogLine, pluginLogReader, socketOfHandshake } from '@lateen/plugin-protocol';
import type { FakeCluster } from '@lateen/testing';
import { clusterForProgram } from './cluster-for-program.ts';
import { type PluginUnderTest, pluginUnderTest } from './plugin-under-test.ts';
import { programCalls } from './program-calls.ts';

export interface ProgramOptions {
  /** Arguments after those of the host; default none. */
  args?: readonly string[];
  /** Environment in addition to PATH, TMPDIR and the handshake; nothing else is inherited. */
  env?: Readonly<Record<string, string>>;
  /** Cluster served to the program over HTTPS, as in a pod. Without it the program has no API server. */
  cluster?: FakeCluster;
  /** Namespace of the server; default `velero`. */
  namespace?: string;
  /** Timeout until the program serves; default 20 s. */
  startMs?: number;
  /** Maps the socket path that the program names, for programs with another root. Default: unchanged. */
  socketAt?: (path: string) => string;
}

export interface RunningProgram extends PluginUnderTest, AsyncDisposable {
  /** Log lines so far, as a host reads them. */
  readonly log: readonly PluginLogLine[];
  /** Asks it to end, as a host does, and kills it after two seconds. Can be repeated. */
  stop(): Promise<ChildExit>;
  /** Path of the socket on which it serves. */
  readonly socket: string;
  /** How it ended; pending while it runs. */
  readonly ended: Promise<ChildExit>;
}

const startMsDefault = 20_000;
const endMs = 2_000;

/**
 * Starts a program as a server does, with handshake, socket and log lines, and calls it over gRPC.
 * @param command the program with its first arguments: `['dist/webapp-plugin']`, `[process.execPath, 'dist/plugin.mjs']`
 * @throws PLUGIN_NOT_STARTED with what it said, PROGRAM_NOT_STARTED, PLUGIN_HANDSHAKE
 */
export async function runAsProgram(command: readonly string[], options: ProgramOptions = {}): Promise<RunningProgram> {
  const { namespace = 'velero', startMs = startMsDefault, cluster, socketAt = (path) => path } = options;
  await using resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'lateen-plugin-'));
  resources.defer(() => rm(directory, { recursive: true, force: true }));
  const served = cluster === undefined ? undefined : await clusterForProgram(cluster, directory, namespace);
  if (served !== undefined) resources.use(served);
  const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
  const env = { PATH: path, TMPDIR: directory, ...handshakeEnvironment(directory), ...served?.env, ...options.env };
  const child = start(command, options.args ?? [], env);
  resources.defer(child.kill);
  const line = await orAborted(child.firstLine, systemClock.deadline(startMs));
  const socket = socketAt(socketOfHandshake(line));
  const connected = resources.use(programCalls(`unix://${socket}`));
  const under = await pluginUnderTest(connected.calls, child.gone);
  const kept = resources.move();
  let stopped: Promise<ChildExit> | undefined;
  const end = async () => {
    await connected.shutDown(systemClock.deadline(endMs));
    await orAborted(child.ended, systemClock.deadline(endMs)).catch(child.kill);
    await kept.disposeAsync();
    return child.ended;
  };
  const stop = () => {
    stopped ??= end();
    return stopped;
  };
  return {
    ...under,
    socket,
    log: child.log,
    ended: child.ended,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

function start([program = '', ...first]: readonly string[], args: readonly string[], env: Record<string, string>) {
  const log: PluginLogLine[] = [];
  const read = pluginLogReader();
  const stderr = outputLines((line) => log.push(read(line)));
  const firstLine = Promise.withResolvers<string>();
  const stdout = outputLines(firstLine.resolve);
  const [killer, gone] = [new AbortController(), new AbortController()];
  const ended = childRunner({ program, clock: systemClock, graceMs: 0 }).run({
    args: [...first, ...args],
    env,
    signal: killer.signal,
    onStdout: (chunk) => stdout.push(chunk.toString()),
    onStderr: stderr.push,
  });
  const over = (why: unknown) => {
    stderr.end();
    firstLine.reject(why);
    gone.abort(why);
  };
  ended.then((exit) => over(endedEarly(program, exit)), over);
  const kill = async () => {
    killer.abort();
    await ended.catch(() => {});
  };
  // Nobody may await the promise when the program ends.
  firstLine.promise.catch(() => {});
  return { log, ended, gone: gone.signal, firstLine: firstLine.promise, kill };
}

function endedEarly(program: string, { exitCode, endedBy, stderr }: ChildExit): AppError {
  const how = endedBy === undefined ? `with exit code ${exitCode}` : `by ${endedBy}`;
  return new AppError('PLUGIN_ENDED', `${program} has ended ${how}; it said: ${stderr.trim() || 'nothing'}`);
}
