import type { InstanceHost } from '@lateen/block-engine';
import type { Clock } from '@lateen/kernel';

type Connect = (peer: { readonly node: string }) => { readonly host: InstanceHost; close(): void };

/**
 * Hosts that start replicas one by one, each in `startMs`, like overloaded disks. A start continues when its caller leaves, and a second
 * call for it waits for the same start.
 */
export function inTurn(clock: Clock, connect: Connect, { startMs }: { readonly startMs: number }): Connect {
  const rows = new Map<string, Promise<void>>();
  const asked = new Map<string, Promise<unknown>>();
  const never = new AbortController().signal;
  return ({ node }) => {
    const { host, close } = connect({ node });
    const ensureReplica: InstanceHost['ensureReplica'] = async (request, { signal }) => {
      const key = `${node}/${request.name}/${request.generation}`;
      let start = asked.get(key);
      if (start === undefined) {
        const made = (rows.get(node) ?? Promise.resolve())
          .then(() => clock.sleep(startMs, never))
          .then(() => host.ensureReplica(request, { signal: never }));
        rows.set(
          node,
          made.then(
            () => {},
            () => {},
          ),
        );
        asked.set(key, made);
        made.then(
          () => asked.delete(key),
          () => asked.delete(key),
        );
        start = made;
      }
      const gone = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return (await Promise.race([start, gone])) as Awaited<ReturnType<InstanceHost['ensureReplica']>>;
    };
    return { host: { ...host, ensureReplica }, close };
  };
}
