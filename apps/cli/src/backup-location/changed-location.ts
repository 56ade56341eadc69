import type { BackupStorageLocation } from '@lateen/api-types';
import { checkLocation } from '@lateen/storage-location';
import { badFlag } from '../refuse-flag.ts';
import { caOf, type UseFlags, usedAs } from './new-location.ts';
import { configFlag, parseConfig } from './parse-config.ts';
import { rateAnnotations } from './parse-rate.ts';

type SpecPatch = { [Field in keyof BackupStorageLocation['spec']]?: unknown };

/** A merge patch; what is empty changes nothing. */
export interface LocationPatch {
  spec: SpecPatch;
  annotations: Record<string, string | null>;
}

/**
 * What `backup-location set` changes: what is not named stays as it is; `--config` adds to the settings
 * and takes those away that are given without a value; an empty `--cacert` takes the certificate away, wherever it was
 * from. Without `default: true`, which takes more than one write. Reads the CA file, nothing else.
 * @throws AppError BAD_FLAG, also when nothing is to be set and no validation to be waited for
 */
export async function changedLocation(flags: UseFlags & { wait?: boolean }): Promise<LocationPatch> {
  const patch: SpecPatch = { ...usedAs(flags) };
  if (flags.config !== undefined)
    patch.config = Object.fromEntries(
      Object.entries(parseConfig(flags.config, configFlag, { mayBeEmpty: true })).map(([key, value]) => [
        key,
        value || null,
      ]),
    );
  if (flags.cacert !== undefined || flags.cacertSecret !== undefined) {
    const ca = flags.cacert === '' && flags.cacertSecret === undefined ? {} : await caOf(flags);
    patch.objectStorage = { caCert: null, caCertRef: null, ...ca };
  }
  if (flags.default === false) patch.default = false;
  const annotations = rateAnnotations(flags);
  const isNothing = Object.keys({ ...patch, ...annotations }).length === 0 && flags.default === undefined;
  if (isNothing && flags.wait !== true)
    throw badFlag('no setting was given', 'Give at least one flag; see lateen backup-location set --help.');
  return { spec: patch, annotations };
}

/**
 * Refuses a change that would make a location unusable, and was not so before: one that has something else wrong with it can
 * still be changed. @throws AppError LOCATION_INVALID
 */
export function checkChange(before: BackupStorageLocation, patch: LocationPatch): void {
  const wrong = wrongWith(changed(before, patch));
  if (wrong !== undefined && wrong.message !== wrongWith(before)?.message) throw wrong;
}

function wrongWith(location: BackupStorageLocation): Error | undefined {
  try {
    checkLocation(location);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** As the API server will merge it. */
function changed({ spec, metadata, ...rest }: BackupStorageLocation, patch: LocationPatch): BackupStorageLocation {
  const { config, objectStorage, ...others } = patch.spec;
  return {
    ...rest,
    metadata: { ...metadata, annotations: merged(metadata.annotations, patch.annotations) },
    spec: {
      ...spec,
      ...(others as Partial<typeof spec>),
      config: merged(spec.config, config),
      objectStorage: merged(spec.objectStorage, objectStorage),
    },
  };
}

/** What is null in the patch is gone. */
function merged<Fields extends object>(before: Fields | undefined, patch: unknown): Fields {
  const entries = Object.entries({ ...before, ...(patch as object | undefined) });
  return Object.fromEntries(entries.filter(([, value]) => value !== null)) as Fields;
}
