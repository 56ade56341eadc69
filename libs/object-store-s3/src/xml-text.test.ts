import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf, textsOf, unescapeXml } from './xml-text.ts';

const escapeXml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll('&#38;', '&amp;');

describe('the XML of S3 answers', () => {
  it('gives back any text that was escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(unescapeXml(escapeXml(text))).toBe(text);
        expect(textOf(`<R><Key>${escapeXml(text)}</Key></R>`, 'Key')).toBe(text);
      }),
    );
  });

  it('finds every element of a name, with attributes, but not those that begin alike', () => {
    const xml = '<L><Key>a</Key><KeyCount>2</KeyCount><Key xmlns="x">b&amp;&#x63;</Key></L>';
    expect(textsOf(xml, 'Key').map(unescapeXml)).toEqual(['a', 'b&c']);
    expect(textOf(xml, 'None')).toBe('');
  });

  it('leaves what is no entity alone', () => expect(unescapeXml('a&b &nope; &')).toBe('a&b &nope; &'));
});
