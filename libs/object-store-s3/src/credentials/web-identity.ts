import { readFile } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { isHostLabel, type ProxyFor, textOf } from '@lateen/object-store';
import { askCredentials } from './ask-credentials.ts';
import type { S3CredentialSource } from './credential-source.ts';
import { type ExpiringKeys, refreshedKeys } from './refreshed-keys.ts';

/** IAM role for a service account: a token that the kubelet keeps fresh is exchanged for keys of a role. */
export interface S3Role {
  roleArn: string;
  /** Read each time. */
  webIdentityTokenFile: string;
  /** Shown in the account's log; `lateen` when absent. */
  roleSessionName?: string;
}

export interface WebIdentity extends S3Role {
  /** Of the token service, `https://sts.<region>.amazonaws.com`. */
  stsUrl: string;
}

const sessionNameDefault = 'lateen';

/**
 * The token service of a region; the global one when there is none. What is no part of a host name is refused: the token
 * would go wherever it leads. @throws LOCATION_INVALID
 */
export function stsUrlOf(region: string): string {
  if (region === '') return 'https://sts.amazonaws.com';
  if (!isHostLabel(region)) {
    throw new AppError('LOCATION_INVALID', `${JSON.stringify(region.slice(0, 40))} is not a region of AWS`, {
      nextStep: 'Write the name of the region alone, such as eu-west-1.',
    });
  }
  return `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** STS AssumeRoleWithWebIdentity (AWS Security Token Service API reference), again before the keys expire. */
export function webIdentityKeys(
  identity: WebIdentity,
  { clock, proxyFor }: { clock: Clock; proxyFor?: ProxyFor | undefined },
): S3CredentialSource {
  return refreshedKeys(() => assumeRole(identity, proxyFor), clock);
}

async function assumeRole(identity: WebIdentity, proxyFor: ProxyFor | undefined): Promise<ExpiringKeys> {
  const { roleArn, roleSessionName = sessionNameDefault, stsUrl } = identity;
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: roleSessionName,
    WebIdentityToken: await readToken(identity.webIdentityTokenFile),
  }).toString();
  const who = `the token service ${new URL(stsUrl).host} for role ${roleArn}`;
  const xml = await askCredentials({
    url: stsUrl,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
    who,
    proxyFor,
  });
  const keys = {
    accessKeyId: textOf(xml, 'AccessKeyId'),
    secretAccessKey: textOf(xml, 'SecretAccessKey'),
    sessionToken: textOf(xml, 'SessionToken'),
  };
  const expiresMs = Date.parse(textOf(xml, 'Expiration'));
  if (Object.values(keys).includes('') || Number.isNaN(expiresMs)) {
    throw new AppError('CREDENTIALS_UNAVAILABLE', `${who} answers without keys`, { retry: 'later' });
  }
  return { keys, expiresMs };
}

async function readToken(path: string): Promise<string> {
  try {
    const token = (await readFile(path, 'utf8')).trim();
    if (token !== '') return token;
  } catch (cause) {
    throw new AppError('CREDENTIALS_INVALID', `the web identity token ${path} cannot be read`, {
      retry: 'later',
      cause,
      nextStep: 'Check that the service account is annotated with its role and the pod was made after that.',
    });
  }
  throw new AppError('CREDENTIALS_INVALID', `the web identity token ${path} is empty`, { retry: 'later' });
}
