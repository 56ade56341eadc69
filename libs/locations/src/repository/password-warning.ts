import { repositoryCredentials, type Secret } from '@lateen/api-types';
import type { Logger } from '@lateen/kernel';
import { eventSubject } from '@lateen/kube-runtime';
import { type EnsuredPassword, isWellKnownPassword } from '@lateen/repository';
import type { Tell } from '../location/location-observer.ts';

/** For log and Event; the value is not in it. */
const warning =
  'repositories are encrypted with the default password, which is publicly known: everyone with access to the bucket can read them. ' +
  'Change it with lateen repo change-password.';

export type PasswordWarning = (password: EnsuredPassword) => void;

/** Reports a generated password, and warns about a publicly known one, once for each version of the Secret. The password is used in any case. */
export function passwordWarning({ tell, log }: { tell: Tell; log: Logger }): PasswordWarning {
  let warnedOf = '';
  return ({ secret, made }) => {
    const { namespace, name } = secret.metadata;
    if (made)
      log.warn(
        { secret: `${namespace}/${name}` },
        'made a random repository password; keep a copy outside the cluster',
      );
    const version = `${secret.metadata.uid} ${secret.metadata.resourceVersion}`;
    if (version === warnedOf || !isWellKnown(secret)) return;
    warnedOf = version;
    log.warn({ secret: repositoryCredentials.name }, warning);
    tell(eventSubject(secret), 'RepositoryPasswordWellKnown', warning, 'Warning');
  };
}

function isWellKnown({ data }: Secret): boolean {
  const value = data?.[repositoryCredentials.key];
  return value !== undefined && isWellKnownPassword(Buffer.from(value, 'base64').toString('utf8'));
}
