import type { Host } from '../host/host.ts';
import type { RunCommand } from '../host/run-command.ts';
import type { Files } from '../store/files.ts';
import type { FakeDisk } from './fake-disk.ts';

/** `before`: the effect did not happen. `after`: it happened, but the answer was lost. `torn`: it happened in part. */
export type Death = 'before' | 'after' | 'torn';

export const deaths: readonly Death[] = ['before', 'after', 'torn'];

export class Killed extends Error {}

/**
 * A host whose process dies at its n-th effect: nothing works from then on, as after kill -9, and the disk stays as it
 * was left. Effects count from `arm()`. With `revives` only that one effect fails, as when a disk or a program returns an error.
 */
export function dyingHost(host: Host, disk: FakeDisk, plan: { step: number; death: Death; revives?: boolean }) {
  let step = 0;
  let isArmed = false;
  let isDead = false;
  const effect = async <T>(
    perform: () => Promise<T>,
    tear: (perform: () => Promise<T>) => Promise<void>,
  ): Promise<T> => {
    if (isDead && plan.revives !== true) throw new Killed('the process is dead');
    if (!isArmed) return perform();
    step++;
    if (step !== plan.step) return perform();
    isDead = true;
    if (plan.death === 'after') await perform();
    if (plan.death === 'torn') await tear(perform);
    throw new Killed(`killed ${plan.death} effect ${step}`);
  };
  const run: RunCommand = (command, args, options) =>
    effect(
      () => host.run(command, args, options),
      async (perform) => {
        await perform();
        tearCommand(disk, command, [...args]);
      },
    );
  const files = Object.fromEntries(
    Object.entries(host.files).map(([name, method]: [string, (...args: never[]) => Promise<unknown>]) => [
      name,
      (...args: never[]) =>
        effect(
          () => method(...args),
          (perform) => tearFile(disk, name, args, perform),
        ),
    ]),
  ) as unknown as Files;
  return {
    host: { ...host, run, files },
    arm: () => {
      isArmed = true;
    },
  };
}

/** The state that a program leaves when it is killed. */
function tearCommand(disk: FakeDisk, command: string, args: string[]): void {
  if (command === 'cp') {
    const copy = disk.files.get(args.at(-1) ?? '');
    if (copy !== undefined) copy.content.whole = false;
  }
  if (command === 'sh') {
    const [, , , mountPoint, , to = ''] = args;
    const mount = disk.mounts.find((entry) => entry.mountPoint === mountPoint);
    if (mount !== undefined) disk.frozen.add(mount.device);
    const copy = disk.files.get(to);
    if (copy !== undefined) copy.content.whole = false;
  }
  // A mounted file system grows through its journal; an unmounted one is broken until the program has finished.
  const isMounted = disk.mounts.some(({ source }) => source === args.at(-1));
  if (command.startsWith('mkfs.') || (command === 'resize2fs' && !isMounted)) {
    const { fileSystem } = disk.contentOf(args.at(-1) ?? '').content;
    if (fileSystem !== undefined) fileSystem.whole = false;
  }
}

/** A write without its rename leaves the temporary file and the old text; the other operations are atomic. */
async function tearFile(
  disk: FakeDisk,
  method: string,
  args: unknown[],
  perform: () => Promise<unknown>,
): Promise<void> {
  if (method === 'writeDurably') disk.makeFile(`${String(args[0])}.tmp`, 10).text = '{"half';
  else await perform();
}
