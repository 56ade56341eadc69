import { describe, expect, it } from 'vitest';
import { knownVersion } from './kopia-version.ts';
import { isNoise, serverWords } from './server-words.ts';

describe('the output of a repository server', () => {
  it('contains address and certificate, in either order', () => {
    const words = serverWords();
    const certificate = Buffer.from('-----BEGIN').toString('base64');
    expect(words.push('Server will close when stdin is closed...')).toBeUndefined();
    expect(words.push('SERVER CERT SHA256: 6329')).toBeUndefined();
    expect(words.push(`SERVER CERTIFICATE: ${certificate}`)).toBeUndefined();
    const place = { address: '127.0.0.1:36739', certificate: '-----BEGIN' };
    expect(words.push('SERVER ADDRESS: https://127.0.0.1:36739')).toEqual(place);
  });

  it('contains only the address when the certificate was given', () => {
    const place = { address: '127.0.0.1:36739', certificate: 'given' };
    expect(serverWords('given').push('SERVER ADDRESS: https://127.0.0.1:36739')).toEqual(place);
  });

  it('without TLS, or with an address that is not loopback, is rejected', () => {
    const words = serverWords();
    words.push('SERVER CERTIFICATE: eA==');
    expect(words.push('SERVER ADDRESS: http://127.0.0.1:1')).toBeUndefined();
    expect(words.push('SERVER ADDRESS: https://0.0.0.0:1')).toBeUndefined();
  });

  it('without a certificate is rejected', () => {
    expect(serverWords().push('SERVER ADDRESS: https://127.0.0.1:1')).toBeUndefined();
  });

  it.each(['SERVER CERTIFICATE: eA==', "User accounts can be added using 'kopia server user add'."])(
    'is kept out of the log: %s',
    (line) => expect(isNoise(line)).toBe(true),
  );
});

describe('the version of kopia', () => {
  it.each([
    ['v0.22.3 build: -(unknown_revision) from: ', '0.22.3'],
    ['0.22.0\n', '0.22.0'],
  ])('%j is supported', (said, version) => expect(knownVersion(said)).toBe(version));

  it.each(['v0.23.0 build: x', '0.2.22', 'v1.0.0', 'kopia', ''])('%j is rejected by name', (said) => {
    expect(() => knownVersion(said)).toThrow(/is not known to serve a repository.*known: 0\.22/);
  });
});
