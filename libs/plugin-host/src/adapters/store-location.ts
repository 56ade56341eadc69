import type { CredentialFiles } from '@lateen/native-snapshots';

/** A BackupStorageLocation whose provider is a plugin, with the content of its Secrets. */
export interface PluginStoreLocation {
  /** `spec.provider`: the name of the plugin, with or without `velero.io/`. */
  plugin: string;
  bucket: string;
  /** "" for none. */
  prefix: string;
  /** Authorities to trust, PEM. */
  caPem?: string;
  /** `spec.config` */
  config: Readonly<Record<string, string>>;
  /** Content of the credentials file; the plugin gets its path. */
  credentials?: string;
}

/** The config of a location for a plugin. Disposing removes the file that it may refer to. */
export interface ToldLocation extends AsyncDisposable {
  config: Readonly<Record<string, string>>;
}

/**
 * The config of a location for `Init`, with the names that Velero adds (api.md section 5). Credentials are in a file as long as the store is used.
 */
export async function toldLocation(
  { bucket, prefix, caPem, config, credentials }: PluginStoreLocation,
  credentialFiles: CredentialFiles,
): Promise<ToldLocation> {
  const plain = { ...config, bucket, prefix, ...(caPem === undefined ? {} : { caCert: caPem }) };
  if (credentials === undefined) return { config: plain, [Symbol.asyncDispose]: async () => {} };
  const { path, remove } = await credentialFiles.put(credentials);
  return { config: { ...plain, credentialsFile: path }, [Symbol.asyncDispose]: remove };
}
