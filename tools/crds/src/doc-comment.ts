import ts from 'typescript';
import { type Marker, markers } from './markers.ts';
import { sourceProblem } from './source-problem.ts';
import type { StructuralSchema } from './structural-schema.ts';

type Documented = ts.InterfaceDeclaration | ts.PropertySignature | ts.TypeAliasDeclaration;

/**
 * A schema with the description and the markers of a declaration's doc comment, which take precedence over its own.
 * @throws CRD_SOURCE for a marker that is unknown or does not fit
 */
export function withDoc(schema: StructuralSchema, node: Documented): StructuralSchema {
  const documented = { ...schema };
  const description = descriptionOf(node);
  if (description !== undefined) documented.description = description;
  for (const tag of ts.getJSDocTags(node)) {
    const name = tag.tagName.text;
    const marker: Marker | undefined = Object.hasOwn(markers, name) ? markers[name] : undefined;
    if (marker === undefined) throw sourceProblem(tag, `the marker @${name} is not known`);
    const refused = marker(documented, (ts.getTextOfJSDocComment(tag.comment) ?? '').trim());
    if (refused !== undefined) throw sourceProblem(tag, `@${name} ${refused}`);
  }
  return documented;
}

/** The text of a doc comment above its markers. */
export function descriptionOf(node: Documented): string | undefined {
  const text = ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? '')
    .join('\n\n');
  const description = paragraphs(text);
  return description === '' ? undefined : description;
}

/** A line break inside a paragraph only limits the line length of the source. */
function paragraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}
