import type { KubeObject, ResourceType } from '@lateen/api-types';
import { keyOf, type ObjectKey } from '@lateen/kube';
import type { CommandContext } from '../command-context.ts';
import { runProgram } from '../run-program.ts';

/** How long after a change a related object is reported. */
export const betweenDrawsMs = 100;

/** The fields of the testing library's world; only test files may import that. */
interface PlayedWorld extends Pick<CommandContext, 'random'> {
  clock: CommandContext['clock'] & { advance(ms: number): Promise<void> };
  cluster: Awaited<ReturnType<CommandContext['connect']>> & {
    find<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
    change<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, edit: (object: T) => void): unknown;
    settle(): Promise<void>;
  };
}

interface WithStatus extends KubeObject {
  status?: object;
}

/** Runs a command that waits for an object, while the test acts as the controller. */
export function waitForTests<R extends WithStatus>(
  { clock, random, cluster }: PlayedWorld,
  { type, key, words }: { type: ResourceType<R>; key: ObjectKey; words: readonly string[] },
  screen: Pick<CommandContext['stderr'], 'isTTY' | 'columns' | 'rows'> = {},
) {
  const out: string[] = [];
  const err: string[] = [];
  const stop = new AbortController();
  const context: CommandContext = {
    clock,
    random,
    stdout: { write: (text) => out.push(text) },
    stderr: { ...screen, write: (text) => err.push(text) },
    signal: stop.signal,
    connect: () => Promise.resolve(cluster),
  };
  const change = async (edit: (object: R) => void) => {
    cluster.change(type, key, edit);
    await cluster.settle();
  };
  return {
    stop,
    out,
    /** The text on stderr since the last call. */
    said: () => err.splice(0).join(''),
    /** Runs the command; resolves with its exit code. */
    ended: (...flags: string[]) => runProgram(context, {}, [...words, ...flags]),
    change,
    status: (more: NonNullable<R['status']>) =>
      change((it) => {
        it.status = { ...it.status, ...more };
      }),
    /** Changes the status of a related object, creates it if needed, and waits until the change is reported. */
    beside: async <B extends WithStatus>(kind: ResourceType<B>, object: B, more: NonNullable<B['status']>) => {
      const at = keyOf(object);
      if (cluster.find(kind, at) === undefined) await cluster.create(kind, object, { signal: stop.signal });
      cluster.change(kind, at, (it) => {
        it.status = { ...it.status, ...more };
      });
      await cluster.settle();
      await clock.advance(betweenDrawsMs);
    },
  };
}
