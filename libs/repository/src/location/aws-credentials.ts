import { AppError } from '@lateen/errors';

/** Keys of an S3 account. Never log one of these. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/**
 * Reads the content of an AWS shared-credentials file: `[profile]` sections with `key = value` lines, `#` and `;`
 * comments. `where` names the Secret in messages; the content itself is in none of them.
 * @throws CREDENTIALS_INVALID
 */
export function parseAwsCredentials(text: string, profile: string, where: string): AwsCredentials {
  const section = sectionsOf(text).get(profile);
  if (section === undefined) {
    throw invalid(
      `${where} has no profile "${profile}"`,
      'Add the profile, or name another one in spec.config.profile.',
    );
  }
  const accessKeyId = section.get('aws_access_key_id');
  const secretAccessKey = section.get('aws_secret_access_key');
  if (!accessKeyId || !secretAccessKey) {
    const missing = accessKeyId ? 'aws_secret_access_key' : 'aws_access_key_id';
    throw invalid(`${where} has no ${missing} in profile "${profile}"`, `Add ${missing} to that profile.`);
  }
  const sessionToken = section.get('aws_session_token');
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
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
