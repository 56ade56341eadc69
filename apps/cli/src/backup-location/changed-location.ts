import type { BackupStorageLocation } from '@lateen/api-types';
import { checkLocation } from '@lateen/storage-location';
import { badFlag } from '../refuse-flag.ts';
import { caOf, type UseFlags, usedAs } from './new-location.ts';
import { configFlag, parseConfig } from './parse-config.ts';
import { rateAnnotations } from './parse-rate.ts';

type SpecPatch = { [Field in keyof BackupStorageLocation['spec']]?: unknown };

/** A merge patch; an empty part changes nothing. */
export interface LocationPatch {
  spec: SpecPatch;
  annotations: Record<string, string | null>;
}

/**
 * The changes of `backup-location set`: fields that are not named stay as they are; `--config` adds to the settings and removes
 * those that are given without a value; an empty `--cacert` removes the certificate, whether it is inline or in a Secret. Does
 * not set `default: true`, which takes more than one write. Reads the CA file and nothing else.
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
 * Refuses a change that would make a valid location invalid. A location that is invalid already can still be changed. @throws
 * AppError LOCATION_INVALID
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

/** The location after the API server has merged the patch. */
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

/** Fields that are null in the patch are removed. */
function merged<Fields extends object>(before: Fields | undefined, patch: unknown): Fields {
  const entries = Object.entries({ ...before, ...(patch as object | undefined) });
  return Object.fromEntries(entries.filter(([, value]) => value !== null)) as Fields;
}
