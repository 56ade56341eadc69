import type { BackupStorageLocation, SecretKeySelector } from '@lateen/api-types';
import { parseLocationName } from '@lateen/operations/backup-location';
import { checkLocation } from '@lateen/storage-location';
import { parseLabels } from '../parse-labels.ts';
import { parsePeriod } from '../parse-period.ts';
import { badFlag } from '../refuse-flag.ts';
import { parseAccessMode } from './parse-access-mode.ts';
import { type ConfigFlag, configFlag, parseConfig } from './parse-config.ts';
import { parseBucket, parsePrefix, parseProvider } from './parse-place.ts';
import { type RateFlags, rateAnnotations } from './parse-rate.ts';
import { parseSecretKey } from './parse-secret-key.ts';
import { readCaFile } from './read-ca-file.ts';

/** The sources of a CA certificate; the API refuses both at once (api.md section 5). */
export interface CaFlags {
  cacert?: string;
  cacertSecret?: string;
}

/** Flags for the use of an existing place; `create` and `set` share them. */
export interface UseFlags extends CaFlags, RateFlags {
  credential?: string;
  config?: string;
  accessMode?: string;
  backupSyncPeriod?: string;
  validationFrequency?: string;
  default?: boolean;
}

/** Flags for the place of the backups; `backup-location create` and `install` share them. */
export interface PlaceFlags {
  provider?: string | undefined;
  bucket?: string | undefined;
  prefix?: string | undefined;
  config?: string | undefined;
}

/** The flags of `backup-location create` that become fields of the object. */
export interface CreateFlags extends UseFlags, PlaceFlags {
  config?: string;
  labels?: string;
}

/** The object that the flags describe. Reads the CA file, nothing else. @throws AppError BAD_FLAG, BAD_ARGUMENT, LOCATION_INVALID */
export async function newLocation(text: string, namespace: string, flags: CreateFlags): Promise<BackupStorageLocation> {
  const name = parseLocationName(text);
  const { objectStorage, ...place } = placeOf(flags, configFlag);
  const labels = flags.labels === undefined ? {} : parseLabels(flags.labels);
  const use = usedAs(flags);
  const rates = Object.entries(rateAnnotations(flags)).filter((pair): pair is [string, string] => pair[1] !== null);
  return {
    apiVersion: 'velero.io/v1',
    kind: 'BackupStorageLocation',
    metadata: {
      name,
      namespace,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(rates.length === 0 ? {} : { annotations: Object.fromEntries(rates) }),
    },
    spec: {
      ...place,
      objectStorage: { ...objectStorage, ...(await caOf(flags)) },
      accessMode: 'ReadWrite',
      ...use,
      ...(flags.default === true ? { default: true } : {}),
    },
  };
}

/** The fields of a spec that name the place of the backups, without its CA. @throws AppError BAD_FLAG, LOCATION_INVALID */
export function placeOf(
  flags: PlaceFlags,
  flag: ConfigFlag,
): Pick<BackupStorageLocation['spec'], 'provider' | 'objectStorage' | 'config'> {
  const provider = parseProvider(flags.provider);
  const bucket = parseBucket(flags.bucket);
  const prefix = flags.prefix === undefined ? '' : parsePrefix(flags.prefix);
  const config = flags.config === undefined ? {} : parseConfig(flags.config, flag);
  const spec = {
    provider,
    objectStorage: { bucket, ...(prefix === '' ? {} : { prefix }) },
    ...(Object.keys(config).length === 0 ? {} : { config }),
  };
  checkLocation({ apiVersion: 'velero.io/v1', kind: 'BackupStorageLocation', metadata: {}, spec });
  return spec;
}

/** The fields of a spec that have one flag each; only those that are given. @throws AppError BAD_FLAG */
export function usedAs(
  flags: UseFlags,
): Pick<
  Partial<BackupStorageLocation['spec']>,
  'accessMode' | 'credential' | 'backupSyncPeriod' | 'validationFrequency'
> {
  const { accessMode, credential, backupSyncPeriod, validationFrequency } = flags;
  return {
    ...(accessMode === undefined ? {} : { accessMode: parseAccessMode(accessMode) }),
    ...(credential === undefined ? {} : { credential: parseSecretKey('--credential', credential) }),
    ...(backupSyncPeriod === undefined
      ? {}
      : { backupSyncPeriod: parsePeriod('--backup-sync-period', backupSyncPeriod) }),
    ...(validationFrequency === undefined
      ? {}
      : { validationFrequency: parsePeriod('--validation-frequency', validationFrequency) }),
  };
}

/** The CA certificate in the form of the object: the file's content, or the Secret that holds it. @throws AppError BAD_FLAG */
export async function caOf(flags: CaFlags): Promise<{ caCert?: string; caCertRef?: SecretKeySelector }> {
  if (flags.cacert !== undefined && flags.cacertSecret !== undefined)
    throw badFlag('--cacert and --cacert-secret cannot both be given');
  if (flags.cacertSecret !== undefined) return { caCertRef: parseSecretKey('--cacert-secret', flags.cacertSecret) };
  if (flags.cacert === undefined) return {};
  return { caCert: Buffer.from(await readCaFile(flags.cacert)).toString('base64') };
}
