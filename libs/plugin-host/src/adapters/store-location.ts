import type { CredentialFiles } from '@lateen/native-snapshots';

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

/** The config of a location for `Init`, with the names that the reference adds (api.md section 5). Credentials are in a file for as long as the store is used. */
export async function toldLocation(
  { bucket, prefix, caPem, config, credentials }: PluginStoreLocation,
  credentialFiles: CredentialFiles,
): Promise<ToldLocation> {
  const plain = { ...config, bucket, prefix, ...(caPem === undefined ? {} : { caCert: caPem }) };
  if (credentials === undefined) return { config: plain, [Symbol.asyncDispose]: async () => {} };
  const { path, remove } = await credentialFiles.put(credentials);
  return { config: { ...plain, credentialsFile: path }, [Symbol.asyncDispose]: remove };
}
