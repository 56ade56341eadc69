import { isHostLabel } from '@lateen/object-store';
import { configBoolean } from '../check/config-boolean.ts';
import { locationInvalid } from '../check/location-invalid.ts';
import { shown } from '../check/shown.ts';
import type { CommonLocation, S3Location } from '../resolved-location.ts';
import { type AwsCredentials, type AwsPodIdentity, type AwsRole, parseAwsCredentials } from './aws-credentials.ts';
import { s3Options } from './s3-options.ts';

/** What config alone says of an S3 location. */
export type S3Settings = Omit<S3Location, keyof CommonLocation | 'provider' | 'credentials' | 'customerKey'>;

/** @throws LOCATION_INVALID */
export function s3Settings(config: Readonly<Record<string, string>>): S3Settings {
  const region = config.region ?? '';
  checkRegion(region, takesPodIdentity(config));
  const { endpoint, tls } = endpointOf(config.s3Url, region);
  if (!tls && (config.customerKeyEncryptionFile || config.customerKeyEncryptionSecret)) {
    throw locationInvalid(
      `a customer key is only sent over https, and config.s3Url "${config.s3Url}" is an http address`,
      'Use an address with https, or no customer key.',
    );
  }
  return {
    ...s3Options(config),
    region,
    endpoint,
    tls,
    verifyTls: configBoolean(config, 'insecureSkipTLSVerify') !== true,
    pathStyle: configBoolean(config, 's3ForcePathStyle') ?? isPathStyleSafer(endpoint),
  };
}

/**
 * An S3 location from its config and an AWS credentials file; without one, by what the platform gives the pod, which only
 * AWS itself takes (see {@link takesPodIdentity}). @throws LOCATION_INVALID, CREDENTIALS_INVALID
 */
export function s3Location(
  common: CommonLocation,
  config: Readonly<Record<string, string>>,
  secret: { text: string | undefined; where: string },
): S3Location {
  const settings = s3Settings(config);
  const credentials = credentialsOf(secret, config.profile ?? 'default');
  if (!('secretAccessKey' in credentials)) checkRegion(settings.region, true);
  return { ...common, ...settings, provider: 's3', credentials };
}

/** Whether a location may do without a Secret: only AWS has the roles that it gives to pods and nodes. */
export function takesPodIdentity({ s3Url = '' }: Readonly<Record<string, string>>): boolean {
  return s3Url === '' || /\.amazonaws\.com(\.cn)?$/.test(urlOf(s3Url)?.hostname ?? '');
}

/**
 * AWS's regions become parts of host names: of the bucket's, and of the token service's, which is sent the token of a role.
 * Elsewhere a region is only signed with, and people call it `RegionOne`.
 */
function checkRegion(region: string, isPartOfHost: boolean): void {
  if (region === '' || isHostLabel(region)) return;
  if (!isPartOfHost && /^[A-Za-z0-9_.-]{1,63}$/.test(region)) return;
  throw locationInvalid(`config.region ${shown(region)} is not a region`, 'Write its name alone, such as eu-west-1.');
}

function credentialsOf(
  { text, where }: { text: string | undefined; where: string },
  profile: string,
): AwsCredentials | AwsRole | AwsPodIdentity {
  return text === undefined ? { identity: 'pod', insteadOf: where } : parseAwsCredentials(text, profile, where);
}

function endpointOf(s3Url: string | undefined, region: string): { endpoint: string; tls: boolean } {
  if (s3Url === undefined || s3Url === '') {
    return { endpoint: region === '' ? 's3.amazonaws.com' : `s3-${region}.amazonaws.com`, tls: true };
  }
  const url = urlOf(s3Url);
  if (url === undefined || url.host === '' || !['http:', 'https:'].includes(url.protocol)) {
    throw locationInvalid(
      `config.s3Url "${s3Url}" is not an http or https address`,
      'Write it as https://host[:port].',
    );
  }
  // First, for the other message repeats it all.
  if (url.username !== '' || url.password !== '') {
    throw locationInvalid('config.s3Url holds credentials', 'Move them into the Secret of spec.credential.');
  }
  if (trimSlashes(url.pathname) !== '' || url.search !== '' || url.hash !== '') {
    throw locationInvalid(`config.s3Url "${s3Url}" has a path`, 'Leave only scheme, host and port.');
  }
  return { endpoint: url.host, tls: url.protocol === 'https:' };
}

/** The scheme may be left out. Undefined: it is no URL. */
function urlOf(s3Url: string): URL | undefined {
  return URL.parse(s3Url.includes('://') ? s3Url : `https://${s3Url}`) ?? undefined;
}

/** Only AWS itself is sure to answer at `bucket.host`; everybody else is asked by path unless told otherwise. */
const isPathStyleSafer = (endpoint: string): boolean => !endpoint.endsWith('.amazonaws.com');

const trimSlashes = (text: string): string => text.replace(/^\/+|\/+$/g, '');
