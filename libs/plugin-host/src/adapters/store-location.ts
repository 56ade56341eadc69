import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A BackupStorageLocation whose provider is a plugin, with what its Secrets say. */
export interface PluginStoreLocation {
  /** `spec.provider`: the name of the plugin, as it is or without `velero.io/`. */
  plugin: string;
  bucket: string;
  /** "" for none. */
  prefix: string;
  /** Authorities to trust, PEM. */
  caPem?: string;
  /** `spec.config` */
  config: Readonly<Record<string, string>>;
  /** Content of the file of credentials; the plugin is told a path. */
  credentials?: string;
}

/** What a plugin is told of a location. Dispose to take away the file that it may point at. */
export interface ToldLocation extends AsyncDisposable {
  config: Readonly<Record<string, string>>;
}

/**
 * The config of a location for `Init`, with the names that the reference adds (api.md section 5). Credentials are in a file that only we can
 * read, below `directory`, for as long as the store is used.
 */
export async function toldLocation(
  { bucket, prefix, caPem, config, credentials }: PluginStoreLocation,
  directory: string,
): Promise<ToldLocation> {
  const plain = { ...config, bucket, prefix, ...(caPem === undefined ? {} : { caCert: caPem }) };
  if (credentials === undefined) return { config: plain, [Symbol.asyncDispose]: async () => {} };
  const folder = await mkdtemp(join(directory, 'credentials-'));
  const credentialsFile = join(folder, 'credentials');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await writeFile(credentialsFile, credentials, { mode: 0o600 });
  } catch (error) {
    await remove();
    throw error;
  }
  return { config: { ...plain, credentialsFile }, [Symbol.asyncDispose]: remove };
}
