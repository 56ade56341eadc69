/** How errors speak of a store: what is asked for, where it is, and where a person says so. */
export interface StorePlace {
  /** `token`: not the store itself is asked, but who gives tokens for it. */
  kind: 'bucket' | 'container' | 'token';
  /** Of the bucket or container. */
  name: string;
  /** `host` or `host:port`. */
  host: string;
  tls: boolean;
  /** What should answer there: `an S3 service`. */
  service: string;
  /** The entry of the location's spec that says the address: `config.s3Url`. "" when none does. */
  setting: string;
  /** The entry that a host name is made of when `setting` is "": `config.storageAccount`. "" when none is. */
  hostSetting: string;
}

/** `bucket "b" at s3.test`, `the token service at login.test`. */
export const placeText = ({ kind, name, host }: StorePlace): string =>
  kind === 'token' ? `the token service at ${host}` : `${kind} "${name}" at ${host}`;

/** What to do when something that is not the store answers. */
export function notTheService({ setting, service }: Pick<StorePlace, 'setting' | 'service'>): string {
  return setting === ''
    ? `Check what stands between the cluster and ${service}: something else answers in its place.`
    : `Check that ${setting} is the address of ${service}, not of its web page or of a proxy.`;
}
