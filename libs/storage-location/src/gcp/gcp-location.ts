import { locationInvalid } from '../check/location-invalid.ts';
import { shown } from '../check/shown.ts';
import type { CommonLocation, GcpLocation } from '../resolved-location.ts';
import { parseGcpCredentials } from './gcp-credentials.ts';

/** Cloud KMS documentation, "Getting a resource ID": the whole name of a key, or of a version of it. */
const keyName = /^[A-Za-z0-9_.:-]+(\/[A-Za-z0-9_.:-]+)*$/;
const email = /^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+$/;

/** What config alone says of a Google location. @throws LOCATION_INVALID */
export function gcpSettings({
  kmsKeyName = '',
  serviceAccount = '',
}: Readonly<Record<string, string>>): Pick<GcpLocation, 'kmsKeyName'> {
  if (kmsKeyName !== '' && !keyName.test(kmsKeyName)) {
    throw locationInvalid(
      `config.kmsKeyName ${shown(kmsKeyName)} is not the name of a key`,
      'Write it as projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY.',
    );
  }
  if (serviceAccount !== '' && !email.test(serviceAccount)) {
    throw locationInvalid(
      `config.serviceAccount ${shown(serviceAccount)} is not a service account`,
      'Write its e-mail address.',
    );
  }
  return kmsKeyName === '' ? {} : { kmsKeyName };
}

/** A Google location from its config and the JSON of its Secret, if it has one. @throws LOCATION_INVALID, CREDENTIALS_INVALID */
export function gcpLocation(
  common: CommonLocation,
  config: Readonly<Record<string, string>>,
  { text, where }: { text: string | undefined; where: string },
): GcpLocation {
  const settings = gcpSettings(config);
  return {
    ...common,
    ...settings,
    provider: 'gcp',
    credentials: parseGcpCredentials(text, config.serviceAccount, where),
  };
}
