import type { Clock } from '@lateen/kernel';
import { askCredentials } from './ask-credentials.ts';
import type { S3CredentialSource } from './credential-source.ts';
import { keysOfJson } from './keys-of-json.ts';
import { refreshedKeys } from './refreshed-keys.ts';

/** Of the instance metadata service (Amazon EC2 user guide, "Use IMDSv2"). */
export const instanceMetadataUrl = 'http://169.254.169.254';
const tokenSeconds = 300;
const rolePath = '/latest/meta-data/iam/security-credentials/';

/** Keys of the role of the node that the pod runs on. */
export function instanceKeys(clock: Clock, baseUrl: string = instanceMetadataUrl): S3CredentialSource {
  return refreshedKeys(async () => {
    const who = 'the metadata service of the node';
    const token = await askCredentials({
      url: `${baseUrl}/latest/api/token`,
      method: 'PUT',
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': String(tokenSeconds) },
      who,
    });
    const headers = { 'x-aws-ec2-metadata-token': token };
    const roles = await askCredentials({ url: `${baseUrl}${rolePath}`, headers, who });
    const role = roles.split('\n')[0]?.trim() ?? '';
    const url = `${baseUrl}${rolePath}${encodeURIComponent(role)}`;
    return keysOfJson(await askCredentials({ url, headers, who }), who);
  }, clock);
}
