import type { BlockTools } from '@lateen/cluster';
import { command } from '@lateen/csi-rig';
import type { Clock } from '@lateen/kernel';
import { median } from '../median.ts';
import { type Load, loads } from '../storage-nbd/loads.ts';
import { fioRate, runTool } from '../storage-nbd/replica-daemon.ts';

const runs = 5;
const eachMs = 1_000;

export interface Rate {
  /** Requests per second of a plain loop device and of the measured device. */
  readonly loop: number;
  readonly volume: number;
  /** Median of the ratios of the rounds: other load of the machine in a round affects both figures. */
  readonly percent: number;
}

export type Rates = ReadonlyMap<Load, Rate>;

export interface DeviceLoadParts {
  tools: BlockTools;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}

/** Calls `act` while the device exists. */
export type WithDevice = (act: (device: string) => Promise<number>) => Promise<number>;

/** A device that exists all the time. */
export const present =
  (device: string): WithDevice =>
  (act) =>
    act(device);

/** Medians of each load on both devices, one after the other in each round; the order alternates. */
export async function loadInTurns(
  title: string,
  on: { loop: WithDevice; volume: WithDevice },
  parts: DeviceLoadParts,
): Promise<Rates> {
  const rates = new Map<Load, Rate>();
  for (const load of loads) {
    const found: { loop: number[]; volume: number[] } = { loop: [], volume: [] };
    for (let run = 0; run < runs; run++) {
      parts.signal.throwIfAborted();
      parts.say(`${title}, ${load.title}: ${run + 1} of ${runs}`);
      for (const which of run % 2 === 0 ? (['loop', 'volume'] as const) : (['volume', 'loop'] as const))
        found[which].push(await on[which]((device) => loadDevice(load, device, parts)));
    }
    const ratios = found.volume.map((volume, run) => (volume * 100) / (found.loop[run] ?? 0));
    rates.set(load, {
      loop: median(found.loop),
      volume: median(found.volume),
      percent: Math.round(median(ratios)),
    });
  }
  return rates;
}

/** Requests per second of one load, by fio with direct I/O for one second. */
export async function loadDevice(
  load: Load,
  device: string,
  { tools, clock }: Pick<DeviceLoadParts, 'tools' | 'clock'>,
): Promise<number> {
  const io = [...fioOf(device), `--rw=${load.fio}`];
  const bounds = [`--bs=${load.blockBytes}`, `--iodepth=${load.depth}`, `--runtime=${eachMs}ms`, '--time_based'];
  return fioRate(
    await runTool(tools.fio, [...io, ...bounds, '--output-format=json'], clock),
    load.fio.endsWith('read'),
  );
}

/** Fills a device with bytes other than zero, because unwritten areas are read and written faster. */
export async function fillDevice(device: string, { tools, clock }: Pick<DeviceLoadParts, 'tools' | 'clock'>) {
  await runTool(tools.fio, [...fioOf(device), '--rw=write', '--bs=1M', '--iodepth=8', '--end_fsync=1'], clock);
}

const fioOf = (device: string): string[] => ['--name=x', '--ioengine=libaio', '--direct=1', `--filename=${device}`];

/** A loop device with direct I/O on a file; detached at the end of `undo`. */
export async function loopOn(file: string, undo: AsyncDisposableStack): Promise<string> {
  const device = (await command('losetup', '--find', '--show', '--direct-io=on', file)).trim();
  undo.defer(async () => void (await command('losetup', '--detach', device)));
  return device;
}
