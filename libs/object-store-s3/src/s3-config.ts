export interface S3StoreConfig {
  bucket: string;
  /** `host` or `host:port`. */
  endpoint: string;
  tls: boolean;
  /** False trusts any certificate. */
  verifyTls: boolean;
  /** PEM; trusted beside the system's authorities. */
  caPem?: string;
  /** "" means `us-east-1`, which is what stores without regions expect in a signature. */
  region: string;
  pathStyle: boolean;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

export interface S3Limits {
  /** To connect, TLS included. */
  connectMs: number;
  /** From the request to the answer's headers, and between two pieces of its body. */
  answerMs: number;
  /** Largest object `get` takes; what is read whole here is metadata, never volume data. */
  objectBytesMax: number;
  /** Largest error body that is read for its code. */
  errorBytesMax: number;
  /** What `write` holds in memory and sends at once; at least 5 MiB, or stores refuse it. */
  partBytes: number;
  /** Connections kept to one endpoint. */
  connectionsMax: number;
}

export const s3LimitsDefault: S3Limits = {
  connectMs: 10_000,
  answerMs: 30_000,
  objectBytesMax: 256 * 1024 * 1024,
  errorBytesMax: 64 * 1024,
  partBytes: 8 * 1024 * 1024,
  connectionsMax: 16,
};

export const regionOf = (config: S3StoreConfig): string => (config.region === '' ? 'us-east-1' : config.region);

/** The URL of a key, or of the bucket for ""; every byte but the slash is percent-encoded. */
export function urlOf(config: S3StoreConfig, key: string, query: Readonly<Record<string, string>> = {}): string {
  const scheme = config.tls ? 'https' : 'http';
  const path = key.split('/').map(encodeKeyPart).join('/');
  const host = config.pathStyle ? config.endpoint : `${config.bucket}.${config.endpoint}`;
  const url = new URL(`${scheme}://${host}/${config.pathStyle ? `${config.bucket}/` : ''}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.toString();
}

const encodeKeyPart = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
