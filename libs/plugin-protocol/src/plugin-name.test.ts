import { describe, expect, it } from 'vitest';
import { fullPluginName, wrongInPluginName } from './plugin-name.ts';

describe('wrongInPluginName', () => {
  it.each(['example.io/azure', 'a/b', 'velero.io/Some_Name', '1.2.3.4/5678', `${'a'.repeat(253)}/name`])(
    'accepts %s',
    (name) => expect(wrongInPluginName(name)).toBeUndefined(),
  );

  it.each([
    ['aws', 'it has no "/"'],
    ['', 'it has no "/"'],
    ['a/b/c', 'it has more than one "/"'],
    ['/b', 'the part before its "/" is empty'],
    ['a/', 'the part after its "/" is empty'],
    ['Upper/b', '"Upper" is not a DNS subdomain'],
    [`${'a'.repeat(254)}/b`, `"${'a'.repeat(254)}" is not a DNS subdomain`],
  ])('reports the problem of %j', (name, wrong) => expect(wrongInPluginName(name)).toBe(wrong));
});

it('adds the domain of Velero to names without a domain', () => {
  expect(fullPluginName('aws')).toBe('velero.io/aws');
  expect(fullPluginName('example.io/aws')).toBe('example.io/aws');
});
