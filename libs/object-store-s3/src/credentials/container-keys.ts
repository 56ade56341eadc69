import { readFile } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { askCredentials } from './ask-credentials.ts';
import type { S3CredentialSource } from './credential-source.ts';
import { keysOfJson } from './keys-of-json.ts';
import { refreshedKeys } from './refreshed-keys.ts';

/** EKS Pod Identity: an agent on the node gives keys to holders of the pod's token. */
export interface ContainerCredentials {
  /** AWS_CONTAINER_CREDENTIALS_FULL_URI. */
  url: string;
  /** AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE; read each time. */
  tokenFile?: string;
}

/** Where the token may be sent in clear (AWS SDKs reference, "Container credential provider"). */
const plainHosts = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]', '127.0.0.1', '[::1]', 'localhost'];

export function containerKeys(from: ContainerCredentials, clock: Clock): S3CredentialSource {
  return refreshedKeys(async () => {
    const url = URL.canParse(from.url) ? new URL(from.url) : undefined;
    if (url === undefined || (url.protocol !== 'https:' && !plainHosts.includes(url.hostname))) {
      throw new AppError(
        'CREDENTIALS_INVALID',
        'AWS_CONTAINER_CREDENTIALS_FULL_URI is not the address of a trusted agent',
      );
    }
    const who = `the credentials agent ${url.host}`;
    return keysOfJson(await askCredentials({ url: from.url, headers: await headersOf(from), who }), who);
  }, clock);
}

async function headersOf({ tokenFile }: ContainerCredentials): Promise<Record<string, string>> {
  if (tokenFile === undefined) return {};
  try {
    return { authorization: (await readFile(tokenFile, 'utf8')).trim() };
  } catch (cause) {
    throw new AppError('CREDENTIALS_INVALID', `the pod identity token ${tokenFile} cannot be read`, {
      retry: 'later',
      cause,
    });
  }
}
