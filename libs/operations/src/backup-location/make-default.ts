import { type BackupStorageLocation, backupStorageLocationType, chooseDefault } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { isConflict, isNotFound, type KubeApi, keyOf, listAll } from '@lateen/kube';
import { locationNotFound } from './find-locations.ts';

export const makeDefaultLimits = {
  /** A round fails only when another client changed a location during it, which does not happen this often. */
  roundsMax: 50,
  /** The longest time for giving the mark back after a failure or Ctrl-C. */
  giveBackMs: 10_000,
} as const;

export interface DefaultPorts {
  kube: KubeApi;
  clock: Clock;
}

/**
 * Leaves exactly one default location, however many commands do this at the same time, provided that each of them ends by itself. Each
 * write is guarded by the resourceVersion that was read, and no command ends before a look at all locations has shown exactly one default:
 * what the last of these looks shows remains true. First this command takes the mark from all other locations and gives it to its own.
 * When several locations have it after that, all commands keep the same one ({@link chooseDefault}), so that none removes a mark that
 * another command has just kept.
 *
 * Returns the name of the location that is the default in the end; it is another one when another command ran later.
 * On abort or error, the location that had the mark gets it back, unless another one has it by then.
 * @throws AppError LOCATION_NOT_FOUND | DEFAULT_UNSETTLED | DEFAULT_LOST, and what the API throws
 */
export async function makeDefault(
  { kube, clock }: DefaultPorts,
  { namespace, name }: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<string> {
  const taken: string[] = [];
  try {
    return await settleDefault(kube, { namespace, name, hadIt: false, taken }, signal);
  } catch (error) {
    const [first] = taken.filter((each) => each !== name);
    if (first !== undefined) await giveBack({ kube, clock }, { namespace, name: first }, error);
    throw error;
  }
}

interface Wanted {
  namespace: string;
  name: string;
  /** Whether the location has already had the mark, so that other locations that have it now got it later. */
  hadIt: boolean;
  /** Receives the names of the locations that the mark was, or may have been, taken from. */
  taken: string[];
}

async function settleDefault(
  kube: KubeApi,
  { namespace, name, hadIt, taken }: Wanted,
  signal: AbortSignal,
): Promise<string> {
  let had = hadIt;
  for (let round = 0; round < makeDefaultLimits.roundsMax; round++) {
    const { items } = await listAll(kube, backupStorageLocationType, { namespace, signal });
    const defaults = items.filter(({ spec }) => spec.default === true);
    const [only] = defaults;
    if (only !== undefined && defaults.length === 1 && (had || only.metadata.name === name))
      return only.metadata.name ?? '';
    const own = items.find(({ metadata }) => metadata.name === name);
    if (own === undefined) throw locationNotFound([name]);
    const winner = had ? (chooseDefault(defaults) ?? own) : own;
    const losers = defaults.filter((each) => each !== winner);
    if (!(await unmarkAll(kube, losers, taken, signal)) || winner !== own) continue;
    if (winner.spec.default === true || (await setMark(kube, winner, true, signal))) had = true;
  }
  throw new AppError('DEFAULT_UNSETTLED', 'other clients changed the default backup storage location repeatedly', {
    nextStep: 'See which one is the default with lateen backup-location get, and try again.',
  });
}

/** Returns false as soon as one location has changed since it was read. */
async function unmarkAll(
  kube: KubeApi,
  locations: readonly BackupStorageLocation[],
  taken: string[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const location of locations) {
    // Recorded before the write: when the write fails or is interrupted, it is not known whether it took effect.
    taken.push(location.metadata.name ?? '');
    if (!(await setMark(kube, location, false, signal))) return false;
  }
  return true;
}

/** Returns false when the location has changed since it was read, or is gone: then it has to be read again. */
async function setMark(
  kube: KubeApi,
  location: BackupStorageLocation,
  isDefault: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { resourceVersion } = location.metadata;
  const body = { metadata: { resourceVersion }, spec: { default: isDefault } };
  try {
    await kube.patch(backupStorageLocationType, keyOf(location), { type: 'merge', body }, { signal });
    return true;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}

/** Runs also after Ctrl-C, so that an interrupted command does not leave the cluster without a default. */
async function giveBack(
  { kube, clock }: DefaultPorts,
  place: { namespace: string; name: string },
  why: unknown,
): Promise<void> {
  const signal = clock.deadline(makeDefaultLimits.giveBackMs);
  try {
    await settleDefault(kube, { ...place, hadIt: true, taken: [] }, signal);
  } catch (error) {
    throw new AppError('DEFAULT_LOST', 'there may be no default backup storage location now', {
      cause: new AggregateError([why, error]),
      nextStep: 'Set one with lateen backup-location set NAME --default.',
    });
  }
}

/**
 * Asks the API server by a dry run whether the mark can be taken from the locations that have it.
 * @throws AppError DEFAULT_EXISTS in Velero's words (cli.md section 10) when it cannot
 */
export async function checkDefaultCanMove(
  kube: KubeApi,
  { namespace, name }: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<void> {
  const { items } = await listAll(kube, backupStorageLocationType, { namespace, signal });
  const others = items.filter(({ metadata, spec }) => spec.default === true && metadata.name !== name);
  for (const other of others) {
    const patch = { type: 'merge', body: { spec: { default: false } } } as const;
    try {
      await kube.patch(backupStorageLocationType, keyOf(other), patch, { signal, dryRun: true });
    } catch (cause) {
      if (isNotFound(cause) || isConflict(cause) || signal.aborted) continue;
      throw new AppError(
        'DEFAULT_EXISTS',
        'there is already exist default backup storage location, please unset it first or do not set --default flag',
        { cause },
      );
    }
  }
}
