import { type ClientIdentity, clientIdentity } from '../conventions/repository-names.ts';
import type { KopiaStorage } from './kopia-storage.ts';

const MiB = 1024 * 1024;

/** BackupRepository.spec.repositoryConfig.cacheLimitMB when absent (data-movement.md section 9). */
export const cacheLimitDefaultMB = 5000;

export interface CacheSettings {
  directory: string;
  limitMB: number;
}

/**
 * The config file that `kopia repository connect` would write, without the keys, which kopia also reads from elsewhere. Writing
 * it ourselves saves a process start and two round trips per data path, and leaves no S3 key on disk; opening the repository
 * checks what `connect` would have checked.
 */
export function kopiaConfigFile(
  storage: KopiaStorage,
  cache: CacheSettings,
  readOnly: boolean,
  identity: ClientIdentity = clientIdentity,
): string {
  return JSON.stringify({
    storage,
    caching: cachingOf(cache),
    hostname: identity.hostname,
    username: identity.username,
    ...(readOnly ? { readonly: true } : {}),
    description: 'Lateen',
    enableActions: false,
  });
}

/** Content gets 80 % of the limit and metadata 20 %; kopia starts to evict at 80 % of each (data-movement.md section 9). */
function cachingOf(cache: CacheSettings): Record<string, unknown> {
  const contentBytes = Math.trunc(cache.limitMB * 0.8) * MiB;
  const metadataBytes = Math.trunc(cache.limitMB * 0.2) * MiB;
  return {
    cacheDirectory: cache.directory,
    maxCacheSize: Math.trunc(contentBytes * 0.8),
    contentCacheSizeLimitBytes: contentBytes,
    maxMetadataCacheSize: Math.trunc(metadataBytes * 0.8),
    metadataCacheSizeLimitBytes: metadataBytes,
    maxListCacheDuration: 30,
  };
}

/**
 * The token that `repository create from-config --token-stdin` reads: the storage, with keys only where {@link KopiaStorage} has
 * them.
 */
export function kopiaToken(storage: KopiaStorage): string {
  return Buffer.from(JSON.stringify({ version: '1', storage })).toString('base64url');
}

/** The cache limit of a BackupRepository; anything but a positive whole number means the default. */
export function cacheLimitMB(repositoryConfig: Readonly<Record<string, string>> | null | undefined): number {
  const limit = Number(repositoryConfig?.cacheLimitMB);
  return Number.isInteger(limit) && limit > 0 ? limit : cacheLimitDefaultMB;
}
