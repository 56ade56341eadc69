import type { ResourceType } from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeApi,
  keyText,
  type ObjectKey,
  readObject,
} from '@lateen/kube';
import type { ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import type { CopiedNames } from '../settings/copied-names.ts';
import {
  type Copied,
  copyOf,
  isCopy,
  isOwner,
  otherOwners,
  stepFor,
  type Wanted,
  wantedOf,
} from '../specs/copied-object.ts';
import type { Leftover } from './take-away-all.ts';

/** Pause before the next look at a copy of another namespace that has other content. */
const turnPauseMs = 5_000;
/** Pause before the next look at a copy whose write hit a conflict, or that is being deleted. */
const soonMs = 500;

/**
 * Copies these objects into the namespace of what is made for the owner, under their own names, because a driver looks for these
 * names. Movements share a copy with the same content; where the content differs, a movement waits until the others have ended.
 * An object of that name that is no copy of ours is used and not changed.
 * @throws EXPOSE_NOTHING_TO_COPY, EXPOSE_COPY_FORBIDDEN, KUBE_…; the signal's reason
 */
export async function copyBeside(
  ports: ExposerPorts,
  owner: ExposeOwner,
  { from, names }: { from: string; names: CopiedNames },
  signal: AbortSignal,
): Promise<void> {
  if (from === owner.namespace) return;
  for (const wanted of wantedOf(names))
    await copyOne(ports, owner, { ...wanted, from }, signal).catch((error: unknown) => {
      throw isAppError(error, 'KUBE_FORBIDDEN') ? forbidden(error, wanted, from) : error;
    });
}

/** Deletes the copies that only this owner uses; removes this owner from the copies that others use too. */
export function copiedLeftovers(
  kube: KubeApi,
  owner: ExposeOwner,
  names: CopiedNames,
  signal: AbortSignal,
): Leftover[] {
  return wantedOf(names).map(({ type, name }) => ({
    what: `the copy of ${type.kind} ${name}`,
    takeAway: () => letGo(kube, type, { namespace: owner.namespace, name }, owner, signal),
  }));
}

async function copyOne(
  { kube, clock, log }: ExposerPorts,
  owner: ExposeOwner,
  { type, name, from }: Wanted & { from: string },
  signal: AbortSignal,
): Promise<void> {
  const key = { namespace: owner.namespace, name };
  const source = await readObject(kube, type, { namespace: from, name }, signal);
  if (source === undefined) throw nothingToCopy(type.kind, { namespace: from, name });
  const copy = copyOf(source, owner, from);
  for (let isTold = false; ; ) {
    try {
      await kube.create(type, copy, { signal });
      return;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const there = await readObject(kube, type, key, signal);
    const step = there === undefined ? 'again' : stepFor(there, copy, owner);
    if (step === 'use') return;
    if (step === 'share' && (await shared(kube, type, { there: there as Copied, copy, owner }, signal))) return;
    if (step === 'wait' && !isTold) {
      isTold = true;
      log.info(
        { owner: owner.name, [type.kind]: keyText(key) },
        'waits for movements of another namespace, which use another one',
      );
    }
    await clock.sleep(step === 'wait' ? turnPauseMs : soonMs, signal);
  }
}

/** False when another writer was faster. */
async function shared(
  kube: KubeApi,
  type: ResourceType<Copied>,
  { there, copy, owner }: { there: Copied; copy: Copied; owner: ExposeOwner },
  signal: AbortSignal,
): Promise<boolean> {
  const others = otherOwners(there, owner);
  const ownerReferences = [...others, ...(copy.metadata.ownerReferences ?? [])];
  return await unlessChanged(
    kube.update(type, { ...copy, metadata: { ...there.metadata, ownerReferences } }, { signal }),
  );
}

async function letGo(
  kube: KubeApi,
  type: ResourceType<Copied>,
  key: ObjectKey,
  owner: ExposeOwner,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const there = await readObject(kube, type, key, signal);
    if (there === undefined || there.metadata.deletionTimestamp !== undefined) return;
    if (!isCopy(there) || !isOwner(there, owner)) return;
    const others = otherOwners(there, owner);
    const { uid = '', resourceVersion = '' } = there.metadata;
    const call =
      others.length === 0
        ? kube.delete(type, key, { preconditions: { uid, resourceVersion }, signal })
        : kube.update(type, { ...there, metadata: { ...there.metadata, ownerReferences: others } }, { signal });
    if (await unlessChanged(call)) return;
  }
}

/** False when the object has changed, or is gone, since it was read. */
async function unlessChanged(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}

function nothingToCopy(kind: string, key: ObjectKey): AppError {
  return new AppError(
    'EXPOSE_NOTHING_TO_COPY',
    `${kind} ${keyText(key)} does not exist, and is to be copied for the volume’s driver`,
    {
      nextStep: 'Create it, or take its name out of secretNames or configMapNames in the node-agent configuration.',
    },
  );
}

function forbidden(error: AppError, { type, name }: Wanted, from: string): AppError {
  return new AppError('EXPOSE_COPY_FORBIDDEN', error.message, {
    retry: error.retry,
    details: error.details,
    cause: error,
    nextStep:
      `Let the node-agent get ${type.kind} ${name} in namespace ${from}, and create, update and delete ${type.resource} in its own: these rights are ` +
      'not part of an installation (apps/node-agent/README.md, "Secrets for drivers").',
  });
}
