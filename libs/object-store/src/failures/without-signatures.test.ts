import { expect, it } from 'vitest';
import { withoutSignatures } from './without-signatures.ts';

it.each([
  'https://s3.test/b/k?X-Amz-Date=1&X-Amz-Credential=SECRET%2F1&X-Amz-Signature=SECRET',
  'https://s3.test/b/k?AWSAccessKeyId=SECRET&Expires=1&Signature=SECRET',
  'https://storage.test/b/k?X-Goog-Signature=SECRET&x-goog-credential=SECRET',
  'https://a.blob.test/c/k?sv=2024&sig=SECRET" failed',
])('%s loses its signature and nothing else', (url) => {
  const text = withoutSignatures(`GET ${url} was refused`);
  expect(text).not.toContain('SECRET');
  expect(text).toMatch(/^GET https:\/\/[^?]+\?.* was refused$/);
});

it('leaves other text unchanged', () => expect(withoutSignatures('sig=1 & more')).toBe('sig=1 & more'));
