import type { S3CredentialSource, S3Keys } from './credentials/credential-source.ts';
import type { S3Role } from './credentials/web-identity.ts';

/** Where a bucket is and how it is used. Names that config keys of Velero have are theirs. */
export interface S3StoreConfig {
  /** A name, or the ARN of an access point (`arn:aws:s3:<region>:<account>:accesspoint/<name>`). */
  bucket: string;
  /** `host` or `host:port`. */
  endpoint: string;
  tls: boolean;
  /** False trusts any certificate. */
  verifyTls: boolean;
  /** PEM; trusted instead of the system's authorities. */
  caPem?: string;
  /** "": it is learned from the store's answers, beginning with `us-east-1`, which stores without regions expect. */
  region: string;
  pathStyle: boolean;
  credentials: S3Keys | S3Role | S3CredentialSource;
  /** Scheme and host of signed URLs, when clients reach the store by another name. */
  publicUrl?: string;
  /** "AES256" or "aws:kms". */
  serverSideEncryption?: string;
  /** Implies "aws:kms". Not together with a customer key. */
  kmsKeyId?: string;
  /** SSE-C: path of a file whose first 32 bytes are the key; read at each use. Only over TLS. */
  customerKeyEncryptionFile?: string;
  /** SSE-C: the key itself, 32 bytes; instead of a file. Only over TLS, and never logged. */
  customerKey?: Uint8Array;
  /** "CRC32" (when absent), "CRC32C", "SHA1" or "SHA256"; "" sends none. */
  checksumAlgorithm?: string;
  /** Tags of new objects, as a query: `team=a&keep=yes`. */
  tagging?: string;
}

export interface S3Limits {
  /** To connect, TLS included. */
  connectMs: number;
  /** From the request to the answer's headers, and between two pieces of its body. */
  answerMs: number;
  /** Largest object `get` takes; what is read whole here is metadata, never volume data. */
  objectBytesMax: number;
  /** Largest page of a listing: a thousand keys of a kilobyte each, written as entities. */
  listingBytesMax: number;
  /** Largest error body that is read for its code. */
  errorBytesMax: number;
  /** Largest headers of an answer. */
  headerBytesMax: number;
  /** What `write` holds in memory and sends at once; at least 5 MiB, or stores refuse it. */
  partBytes: number;
  /** Connections kept to one endpoint. */
  connectionsMax: number;
}

export const s3LimitsDefault: S3Limits = {
  connectMs: 10_000,
  answerMs: 30_000,
  objectBytesMax: 256 * 1024 * 1024,
  listingBytesMax: 16 * 1024 * 1024,
  errorBytesMax: 64 * 1024,
  headerBytesMax: 16 * 1024,
  partBytes: 8 * 1024 * 1024,
  connectionsMax: 16,
};

/** Where requests go to, once the region is known. */
export interface S3Place {
  bucket: string;
  endpoint: string;
  tls: boolean;
  pathStyle: boolean;
}

/** The URL of a key, or of the bucket for ""; every byte but the slash is percent-encoded. */
export function urlOf(place: S3Place, key: string, query: Readonly<Record<string, string>> = {}): string {
  const scheme = place.tls ? 'https' : 'http';
  const path = key.split('/').map(encodeKeyPart).join('/');
  const { host, root } = rootOf(place);
  const url = new URL(`${scheme}://${host}/${root}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.toString();
}

function rootOf({ bucket, endpoint, tls, pathStyle }: S3Place): { host: string; root: string } {
  const point = accessPointOf(bucket);
  if (point !== undefined) return { host: `${point.name}-${point.account}.s3-accesspoint.${point.domain}`, root: '' };
  // A wildcard certificate covers one label, and not every old name of a bucket can be a host's.
  const asHost = /^[a-z0-9][a-z0-9-]*[a-z0-9]$/.test(bucket) || (!tls && /^[a-z0-9][a-z0-9.-]*[a-z0-9]$/.test(bucket));
  return pathStyle || !asHost
    ? { host: endpoint, root: `${encodeKeyPart(bucket)}/` }
    : { host: `${bucket}.${endpoint}`, root: '' };
}

/** The parts of an access point's ARN (Amazon S3 user guide, "Referencing access points"); undefined for a name. */
export function accessPointOf(
  bucket: string,
): { name: string; account: string; region: string; domain: string } | undefined {
  const match = /^arn:(aws[a-z-]*):s3:([a-z0-9-]+):(\d+):accesspoint[/:]([a-z0-9-]+)$/.exec(bucket);
  if (match === null) return undefined;
  const [, partition = '', region = '', account = '', name = ''] = match;
  return { name, account, region, domain: `${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}` };
}

const encodeKeyPart = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
