export interface GcsStoreConfig {
  bucket: string;
  /** The key that encrypts new objects, instead of the bucket's own. */
  kmsKeyName?: string;
  /** PEM; trusted instead of the system's authorities. */
  caPem?: string;
  /** `https://storage.googleapis.com` unless another one is given. */
  endpoint?: string;
  credentials: GcsStoreCredentials;
}

export type GcsStoreCredentials =
  /** The JSON key of a service account. */
  | { kind: 'serviceAccount'; json: string; email: string; privateKey: string }
  /** JSON of a workload identity federation. `email`: who signs URLs. */
  | { kind: 'externalAccount'; json: string; email?: string }
  /** What Google's library finds in the pod or on the node. `email`: who signs URLs. */
  | { kind: 'ambient'; email?: string };

export interface GcsLimits {
  /** To connect, TLS included. */
  connectMs: number;
  /** From the request to the answer's headers, and between two pieces of its body. */
  answerMs: number;
  /** Largest object `get` takes; what is read whole here is metadata, never volume data. */
  objectBytesMax: number;
  /** Largest page of a listing: a thousand names of a kilobyte each, written as escapes. */
  answerBytesMax: number;
  /** Largest error body that is read for its reason. */
  errorBytesMax: number;
  /** Largest headers of an answer. */
  headerBytesMax: number;
  /** Connections kept. */
  connectionsMax: number;
}

export const gcsLimitsDefault: GcsLimits = {
  connectMs: 10_000,
  answerMs: 30_000,
  objectBytesMax: 256 * 1024 * 1024,
  answerBytesMax: 8 * 1024 * 1024,
  errorBytesMax: 64 * 1024,
  headerBytesMax: 16 * 1024,
  connectionsMax: 16,
};

export const endpointOf = ({ endpoint }: GcsStoreConfig): string => endpoint ?? 'https://storage.googleapis.com';

/** Encodes all that stands for itself in no part of a URL; RFC 3986, as signatures need it. */
export const encodeUrlPart = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
