import ts from 'typescript';
import { sourceProblem } from './source-problem.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The description and the markers of a declaration's doc comment, as schema fields. @throws CRD_SOURCE for an unknown marker */
export function schemaFieldsOfDoc(node: ts.InterfaceDeclaration | ts.PropertySignature | ts.TypeAliasDeclaration) {
  const fields: StructuralSchema = {};
  const text = ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '')
    .join('\n\n');
  const description = paragraphs(text);
  if (description !== '') fields.description = description;
  for (const tag of ts.getJSDocTags(node)) applyMarker(fields, tag);
  return fields;
}

/** Line breaks inside a paragraph are only the source's line length. */
function paragraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

function applyMarker(fields: StructuralSchema, tag: ts.JSDocTag): void {
  const value = (ts.getTextOfJSDocComment(tag.comment) ?? '').trim();
  switch (tag.tagName.text) {
    case 'see':
      return;
    case 'default':
      fields.default = jsonOf(tag, value);
      return;
    case 'minItems': {
      const least = jsonOf(tag, value);
      if (typeof least !== 'number' || !Number.isInteger(least) || least < 0)
        throw sourceProblem(tag, '@minItems needs a number from 0');
      fields.minItems = least;
      return;
    }
    case 'listType':
      if (!['atomic', 'set', 'map'].includes(value)) throw sourceProblem(tag, '@listType is atomic, set or map');
      fields['x-kubernetes-list-type'] = value;
      return;
    case 'mapType':
      if (!['atomic', 'granular'].includes(value)) throw sourceProblem(tag, '@mapType is atomic or granular');
      fields['x-kubernetes-map-type'] = value;
      return;
    case 'preserveUnknownFields':
      fields['x-kubernetes-preserve-unknown-fields'] = true;
      return;
    default:
      throw sourceProblem(tag, `the marker @${tag.tagName.text} is not known`);
  }
}

function jsonOf(tag: ts.JSDocTag, value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw sourceProblem(tag, `@${tag.tagName.text} needs a JSON value, not ${value === '' ? 'nothing' : value}`);
  }
}
