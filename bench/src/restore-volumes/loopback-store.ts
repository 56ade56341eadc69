import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { WayContext } from './way.ts';

export interface LoopbackStore extends AsyncDisposable {
  /** `host:port`. */
  endpoint: string;
}

/** Starts the server of whole packs in the measured group. */
export async function openLoopbackStore({ group, store, made }: WayContext): Promise<LoopbackStore> {
  const program = join(import.meta.dirname, 'ways', 'loopback-main.ts');
  const order = { upstream: store.endpoint, location: made.target(store.endpoint).location };
  const [file, ...args] = group.command(process.execPath, [program]);
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, LATEEN_BENCH: JSON.stringify(order) },
  });
  const ended = once(child, 'exit');
  const [port] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error('the server on the loopback has ended'))),
  ])) as [string];
  return {
    endpoint: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
