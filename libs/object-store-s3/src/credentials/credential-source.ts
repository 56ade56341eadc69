/** Keys of an S3 account. Never log one. */
export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of keys that expire. */
  sessionToken?: string;
}

/** Where keys come from that change while a store is used. */
export interface S3CredentialSource {
  /** Keys that are good for the next minutes. @throws CREDENTIALS_INVALID, CREDENTIALS_UNAVAILABLE */
  keys(signal?: AbortSignal): Promise<S3Keys>;
  /** The store has reported them as expired; the next `keys` requests others. */
  forget(): void;
}

/** Static keys: always the same. */
export const fixedKeys = (keys: S3Keys): S3CredentialSource => ({ keys: async () => keys, forget: () => {} });
