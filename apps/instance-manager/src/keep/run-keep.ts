import { mkdir } from 'node:fs/promises';
import { detachMarked } from '@lateen/block-frontend';
import { childRunner } from '@lateen/child-process';
import { ProcessKeeper, realMachine, recordFiles } from '@lateen/instance-host';
import { systemClock as clock, type Logger, systemRandom as random } from '@lateen/kernel';
import { nodeFiles as files, hostCommands } from '@lateen/volume';
import type { ServeConfig } from '../config/serve-config.ts';
import { deviceLinks } from '../frontends/device-link.ts';
import { readDeviceMark } from '../frontends/device-mark.ts';
import { ownProgram } from '../own-program.ts';
import { placesOf } from '../places.ts';
import { endVolumes } from './end-volumes.ts';
import { keepServing } from './keep-serving.ts';

/** `serve` cancels its calls long before; the next `serve` continues what it has begun. */
const serveGraceMs = 10_000;

export interface Keep {
  config: ServeConfig;
  /** Time for the processes of volumes, after `serve` has ended. */
  graceMs: number;
  /** Arguments of `serve`. */
  argv: readonly string[];
  environment: Readonly<Record<string, string>>;
}

/**
 * Keeps `serve` running until `stop` aborts. Then it ends `serve` first, so that nothing new is started, and after it all processes of volumes,
 * because they end with the pod. They end in an order in which engines finish the writes that they have accepted.
 */
export async function runKeep(keep: Keep, { log, stop }: { log: Logger; stop: AbortSignal }): Promise<void> {
  const [program = '', ...first] = ownProgram();
  const runner = childRunner({ program, clock, graceMs: serveGraceMs });
  const kept = {
    args: [...first, ...keep.argv],
    env: keep.environment,
    onStdout: (chunk: Buffer) => void process.stdout.write(chunk),
    onStderr: (text: string) => void process.stderr.write(text),
  };
  await keepServing({ runner, clock, random, log }, kept, stop);
  log.info({ graceMs: keep.graceMs }, 'serve has ended; the processes of volumes end now');
  const places = placesOf(keep.config.runtimeDirectory);
  await mkdir(places.logs, { recursive: true, mode: 0o700 });
  const signal = clock.deadline(keep.graceMs);
  await letDevicesGo(keep, { log, signal }).catch((error: unknown) =>
    log.error({ err: error }, 'the devices of volumes could not be detached'),
  );
  const keeper = await ProcessKeeper.open({
    machine: realMachine({ env: {}, logs: places.logs }),
    records: recordFiles(places.processes),
    // Only the end of these processes matters.
    answers: async () => true,
    clock,
    log,
  });
  await endVolumes(keeper, { clock, log }, signal);
}

/**
 * Runs while engines still serve, so that devices that are not in use are flushed. The mounts of front ends end with the pod, and a device that
 * remains would stay on the node until another instance manager of this name starts: after an update or an uninstallation none does.
 */
async function letDevicesGo(
  { config, environment }: Keep,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  const mark = await readDeviceMark(files, placesOf(config.runtimeDirectory).deviceMark);
  if (mark === undefined) return;
  const host = { run: hostCommands({ clock, environment }), files, log, clock };
  const links = deviceLinks(config.deviceDirectory);
  await detachMarked({ host, mark }, (volume, device) => links.remove(volume, device), signal);
}
