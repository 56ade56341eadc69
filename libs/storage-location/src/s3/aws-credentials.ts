import { AppError } from '@lateen/errors';
import { wrongPodPath } from '../check/pod-path.ts';

/** Keys of an S3 account. Never log one of these. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/**
 * A role that is taken with the token of a service account (AWS: "IAM roles for service accounts"). Holds no secret: the
 * token is in a file of the pod.
 */
export interface AwsRole {
  roleArn: string;
  webIdentityTokenFile: string;
  roleSessionName?: string;
}

/**
 * No keys of the location's own: those that the platform gives the pod (in its environment, by the role of its service
 * account, by EKS Pod Identity or by the role of its node). Store and engines look for them by themselves.
 */
export interface AwsPodIdentity {
  identity: 'pod';
  /** The Secret that would hold keys, for messages. */
  insteadOf: string;
}

/**
 * Reads the content of an AWS shared-credentials file: `[profile]` sections with `key = value` lines, `#` and `;`
 * comments. A profile holds keys, or `role_arn` and `web_identity_token_file`; other ways to keys (a role by another
 * profile, single sign-on, a program) are refused by name. `where` names the Secret in messages; the content itself is in
 * none of them.
 * @throws CREDENTIALS_INVALID
 */
export function parseAwsCredentials(text: string, profile: string, where: string): AwsCredentials | AwsRole {
  const section = sectionsOf(text).get(profile);
  if (section === undefined) {
    throw invalid(
      `${where} has no profile "${profile}"`,
      'Add the profile, or name another one in spec.config.profile.',
    );
  }
  const hidden = [...section].find(([, value]) => /\p{Cc}/u.test(value));
  if (hidden !== undefined) {
    // It would be invisible, and the error for a variable with a zero byte would repeat its value.
    throw invalid(`${where} has a control character in ${hidden[0]} of profile "${profile}"`, 'Write the value again.');
  }
  if (section.get('role_arn')) return roleOf(section, profile, where);
  const accessKeyId = section.get('aws_access_key_id');
  const secretAccessKey = section.get('aws_secret_access_key');
  if (!accessKeyId && !secretAccessKey) refuseOtherWay(section, profile, where);
  if (!accessKeyId || !secretAccessKey) {
    const missing = accessKeyId ? 'aws_secret_access_key' : 'aws_access_key_id';
    throw invalid(`${where} has no ${missing} in profile "${profile}"`, `Add ${missing} to that profile.`);
  }
  const sessionToken = section.get('aws_session_token');
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

function roleOf(section: ReadonlyMap<string, string>, profile: string, where: string): AwsRole {
  const roleArn = section.get('role_arn') ?? '';
  const webIdentityTokenFile = section.get('web_identity_token_file') ?? '';
  if (webIdentityTokenFile === '') {
    refuseOtherWay(section, profile, where);
    throw invalid(
      `${where} has a role_arn in profile "${profile}" without a web_identity_token_file`,
      'Add the path of the token in the pods; a role by source_profile is not supported.',
    );
  }
  const wrong = wrongPodPath(webIdentityTokenFile, { mayBeApiToken: true });
  if (wrong !== undefined) {
    throw invalid(
      `${where} has a web_identity_token_file in profile "${profile}": ${wrong}`,
      'Write the path that the token has in the pods of controller and node-agent.',
    );
  }
  const roleSessionName = section.get('role_session_name');
  return { roleArn, webIdentityTokenFile, ...(roleSessionName ? { roleSessionName } : {}) };
}

/** They need programs, browsers or caches that no pod has, or keys that could not be renewed while a movement runs. */
const otherWays = [
  'source_profile',
  'credential_source',
  'sso_session',
  'sso_start_url',
  'credential_process',
  'web_identity_token_file',
] as const;

/** @throws CREDENTIALS_INVALID when a profile gets its keys in a way that is not supported */
function refuseOtherWay(section: ReadonlyMap<string, string>, profile: string, where: string): void {
  const way = otherWays.find((name) => section.get(name));
  if (way === undefined) return;
  if (way === 'web_identity_token_file') {
    throw invalid(
      `${where} has a web_identity_token_file in profile "${profile}" without a role_arn`,
      'Add the ARN of the role.',
    );
  }
  throw invalid(
    `${where} gets the keys of profile "${profile}" by ${way}, which is not supported`,
    'Give the profile aws_access_key_id and aws_secret_access_key, or role_arn and web_identity_token_file; or remove the ' +
      'Secret, so that the role of the service account or of the node gives keys.',
  );
}

function sectionsOf(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    // Config files (not credentials files) write `[profile x]`; the SDKs accept both spellings.
    const header = /^\[\s*(?:profile\s+)?([^\]]+?)\s*\]$/.exec(line)?.[1];
    if (header !== undefined) {
      current = sections.get(header) ?? new Map();
      sections.set(header, current);
      continue;
    }
    const equals = line.indexOf('=');
    if (equals > 0) current?.set(line.slice(0, equals).trim().toLowerCase(), line.slice(equals + 1).trim());
  }
  return sections;
}

function invalid(message: string, nextStep: string): AppError {
  return new AppError('CREDENTIALS_INVALID', message, { retry: 'later', nextStep });
}
