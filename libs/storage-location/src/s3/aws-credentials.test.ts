import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAwsCredentials } from './aws-credentials.ts';

const where = 'Secret velero/cloud-credentials key cloud';

describe('parseAwsCredentials', () => {
  it('reads the requested profile, with comments, blank lines, CRLF and spaces', () => {
    const text =
      '# top\r\n[default]\r\naws_access_key_id=A\r\naws_secret_access_key = S=+/\r\n\r\n; x\n[other]\naws_access_key_id: no\nAWS_ACCESS_KEY_ID = B\naws_secret_access_key=T\naws_session_token=tok\n';
    expect(parseAwsCredentials(text, 'default', where)).toEqual({ accessKeyId: 'A', secretAccessKey: 'S=+/' });
    expect(parseAwsCredentials(text, 'other', where)).toEqual({
      accessKeyId: 'B',
      secretAccessKey: 'T',
      sessionToken: 'tok',
    });
  });

  it('reads a role with a web identity token', () => {
    const role = '[default]\nrole_arn = arn:aws:iam::1:role/b\nweb_identity_token_file = /var/run/t\n';
    expect(parseAwsCredentials(role, 'default', where)).toEqual({
      roleArn: 'arn:aws:iam::1:role/b',
      webIdentityTokenFile: '/var/run/t',
    });
    expect(parseAwsCredentials(`${role}role_session_name=s\n`, 'default', where)).toMatchObject({
      roleSessionName: 's',
    });
  });

  it.each([
    ['[default]\nrole_arn=r', 'default', 'has a role_arn in profile "default" without a web_identity_token_file'],
    [
      '[default]\nrole_arn=r\nweb_identity_token_file=t',
      'default',
      'has a web_identity_token_file .* is not an absolute path',
    ],
    ['[default]\nweb_identity_token_file=/t', 'default', 'has a web_identity_token_file .* without a role_arn'],
    ...(
      [
        '[default]\nrole_arn=r\nsource_profile=x',
        '[default]\nrole_arn=r\naws_access_key_id=A\naws_secret_access_key=VERYSECRET\nsource_profile=x',
        '[default]\nrole_arn=r\ncredential_source=Ec2InstanceMetadata',
        '[default]\nsso_session=x\nsso_account_id=1\nsso_role_name=r',
        '[default]\nsso_start_url=https://x',
        '[default]\ncredential_process=/bin/x VERYSECRET',
      ] as const
    ).map(
      (text) =>
        [text, 'default', 'gets the keys of profile "default" by [a-z_]+, which is not supported'] satisfies string[],
    ),
    ['', 'default', 'has no profile "default"'],
    ['[default]\naws_access_key_id=A', 'default', 'has no aws_secret_access_key'],
    ['[default]\naws_secret_access_key=VERYSECRET', 'default', 'has no aws_access_key_id'],
    ['[a]\naws_access_key_id=A\naws_secret_access_key=VERYSECRET', 'b', 'has no profile "b"'],
  ])('names the Secret and the missing key in %j, and never a value', (text, profile, message) => {
    expect(() => parseAwsCredentials(text, profile, where)).toThrow(
      expect.objectContaining({
        code: 'CREDENTIALS_INVALID',
        message: expect.stringMatching(new RegExp(`^${where} ${message}(?!.*VERYSECRET)`)),
      }),
    );
  });

  it('reads back any key pair', () => {
    const value = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && !/[\r\n]/.test(text));
    fc.assert(
      fc.property(value, value, (id, secret) => {
        const text = `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`;
        expect(parseAwsCredentials(text, 'default', where)).toEqual({ accessKeyId: id, secretAccessKey: secret });
      }),
    );
  });
});
