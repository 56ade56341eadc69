import { describe, expect, it } from 'vitest';
import { declarationsOf } from './declarations.ts';
import { schemaOfKind } from './schema-of-kind.ts';

/** The schema of `spec.field` when the field is declared as given. */
function schemaOfField(field: string, others = '') {
  const text = `/** A thing. */
export interface Thing extends KubeObject {
  spec: ThingSpec;
}
export interface ThingSpec {
  ${field}
}
${others}`;
  const schema = schemaOfKind('Thing', declarationsOf([{ path: 'thing.ts', text }]));
  return schema.properties?.spec;
}

describe('a field', () => {
  it.each([
    ['string', { type: 'string' }],
    ['boolean', { type: 'boolean' }],
    ['Integer', { type: 'integer' }],
    ['Int64', { type: 'integer', format: 'int64' }],
    ['Timestamp', { type: 'string', format: 'date-time' }],
    ['Duration', { type: 'string' }],
    ['Base64', { type: 'string', format: 'byte' }],
    ['RawObject', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
    ['string[]', { type: 'array', items: { type: 'string' } }],
    ['Timestamp | null', { type: 'string', format: 'date-time', nullable: true }],
    ['(string[]) | null', { type: 'array', items: { type: 'string' }, nullable: true }],
    ["'b' | 'a' | ''", { type: 'string', enum: ['b', 'a', ''] }],
    ["'a'", { type: 'string', enum: ['a'] }],
    ['Record<string, string>', { type: 'object', additionalProperties: { type: 'string' } }],
    ['Record<string, never>', { type: 'object' }],
    ['Color', { type: 'string', enum: ['red', 'blue'] }],
    [
      'Size | null',
      {
        type: 'object',
        properties: { width: { type: 'integer', description: 'Across.' } },
        required: ['width'],
        description: 'How big.',
        nullable: true,
      },
    ],
  ])('of type %s', (type, expected) => {
    const others = `export const colors = ['red', 'blue'] as const;
      export type Color = (typeof colors)[number];
      /** How big. */ export interface Size {
 /** Across. */ width: Integer }`;
    const field = schemaOfField(`/** Its use. */ x?: ${type};`, others)?.properties?.x;
    expect(field).toEqual({ ...expected, description: 'Its use.' });
  });

  it('is required when it has no question mark, and the list of those is sorted', () => {
    const spec = schemaOfField('/** B. */ b: string;\n/** C. */ c?: string;\n/** A. */ a: string;');
    expect(spec?.required).toEqual(['a', 'b']);
  });

  it('takes markers and leaves them out of the description', () => {
    const field = schemaOfField(`/**
   * Words that go on
   * in the next line.
   *
   * Second paragraph.
   * @minItems 2
   * @listType set
   * @default ["x"]
   * @see something internal
   */
  x?: string[];`)?.properties?.x;
    expect(field).toEqual({
      type: 'array',
      items: { type: 'string' },
      description: 'Words that go on in the next line.\n\nSecond paragraph.',
      minItems: 2,
      'x-kubernetes-list-type': 'set',
      default: ['x'],
    });
  });

  it('prefers its own words to those of its type', () => {
    const spec = schemaOfField('/** This very size. */ x: Size;', '/** How big. */ interface Size {}');
    expect(spec?.properties?.x?.description).toBe('This very size.');
  });
});

describe('what a CRD cannot say is refused with its place', () => {
  it.each([
    ['a bare number', '/** X. */ x: number;', 'a bare number'],
    ['any', '/** X. */ x: any;', 'any has no form in a CRD'],
    ['unknown', '/** X. */ x: unknown;', 'unknown has no form in a CRD'],
    ['a union of types', '/** X. */ x: string | Integer;', 'string cannot be part of a union'],
    ['a type literal', '/** X. */ x: { a: string };', 'has no form in a CRD'],
    ['a generic type', '/** X. */ x: Array<string>;', 'is generic'],
    ['a map with other keys', '/** X. */ x: Record<Color, string>;', 'keys of a map are strings'],
    ['words or null', "/** X. */ x: 'a' | 'b' | null;", 'joins words with null'],
    ['a list of words or null', '/** X. */ x: Color | null;', 'joins words with null'],
    ['a number literal', '/** X. */ x: 1;', '1 cannot be part of a union'],
    ['an unknown type', '/** X. */ x: Elsewhere;', 'Elsewhere is not declared'],
    ['an unknown list', '/** X. */ x: (typeof elsewhere)[number];', 'is not (typeof list)[number]'],
    ['a field without words', 'x: string;', 'x has no doc comment'],
    ['a method', '/** X. */ x(): string;', 'only properties with a type'],
    ['an index signature', '[x: string]: string;', 'only properties with a type'],
    ['an unknown marker', '/** X.\n * @maxItems 2 */ x: string[];', 'the marker @maxItems is not known'],
    ['a default that is not JSON', '/** X.\n * @default yes */ x?: string;', '@default needs a JSON value'],
    ['a wrong number', '/** X.\n * @minItems -1 */ x: string[];', '@minItems needs a number from 0'],
    ['a wrong list type', '/** X.\n * @listType any */ x: string[];', '@listType is'],
    ['a type inside itself', '/** X. */ x: Tree;', 'Tree contains itself'],
    ['heritage', '/** X. */ x: Child;', 'Child extends another interface'],
  ])('%s', (_what, field, message) => {
    const others = `const colors = ['red'] as const;
type Color = (typeof colors)[number];
interface Tree {
  /** C. */ children: Tree[];
}
interface Child extends Tree {}`;
    expect(() => schemaOfField(field, others)).toThrow(
      expect.objectContaining({ code: 'CRD_SOURCE', message: expect.stringMatching(/^thing\.ts:\d+:\d+: /) }),
    );
    expect(() => schemaOfField(field, others)).toThrow(message);
  });
});

describe('a kind', () => {
  it.each([
    ['is not declared', 'interface Other {}', 'no interface is named Thing'],
    ['does not extend KubeObject', '/** T. */ interface Thing {}', 'does not extend KubeObject'],
    ['has no words', 'interface Thing extends KubeObject {}', 'Thing has no doc comment'],
    [
      'has other fields',
      '/** T. */ interface Thing extends KubeObject { data: string }',
      'may only have spec and status',
    ],
    ['is declared twice', 'interface Thing {}\ntype Thing = string', 'Thing is declared twice'],
  ])('that %s is refused', (_what, text, message) => {
    expect(() => schemaOfKind('Thing', declarationsOf([{ path: 'thing.ts', text }]))).toThrow(message);
  });
});
