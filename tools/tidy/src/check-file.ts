import ts from 'typescript';
import {
  bannedCalls,
  drawerPattern,
  fileLinesMax,
  functionLinesMax,
  fuseExportPattern,
  leftoverPattern,
  mayNameFuseExport,
  mayReadEnvironment,
  mayStartProcesses,
  mayTouchTheClock,
  processStarters,
  testFileLinesMax,
  testFilePattern,
} from './house-rules.ts';

/**
 * Every house rule that one source file breaks, as `path:line: what, and what instead`.
 * @param path from the workspace root, with "/"
 */
export function checkFile(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const code = withoutCommentsAndStrings(source, text);
  return [
    ...names(path),
    ...length(path, text),
    ...lines(path, text, code),
    ...longFunctions(path, source),
    ...imports(path, text),
  ];
}

function names(path: string): string[] {
  return drawerPattern.test(path)
    ? [`${path}: the name says nothing about the content; name the file after its concept`]
    : [];
}

function length(path: string, text: string): string[] {
  const limit = path.endsWith('.test.ts') || path.startsWith('libs/testing/') ? testFileLinesMax : fileLinesMax;
  const count = text.split('\n').length - 1;
  return count > limit
    ? [`${path}: ${count} lines, more than ${limit}; move a second concept into a file of its own`]
    : [];
}

function lines(path: string, text: string, code: string): string[] {
  const found: string[] = [];
  const clockIsAllowed = mayTouchTheClock.some((prefix) => path.startsWith(prefix));
  const original = text.split('\n');
  code.split('\n').forEach((line, index) => {
    const where = `${path}:${index + 1}`;
    for (const call of clockIsAllowed ? [] : bannedCalls)
      if (call.pattern.test(line)) found.push(`${where}: ${call.name} is not used here; ${call.instead}`);
    if (mayNotReadEnvironment(path) && /\bprocess\.env\b/.test(line))
      found.push(`${where}: libraries never read process.env; take the value as an option`);
    if (!mayNameFuseExport.test(path) && fuseExportPattern.test(original[index] ?? ''))
      found.push(`${where}: an export of that kind corrupts data; export by NBD and mount that with nbdfuse`);
    if (!path.startsWith('tools/tidy/') && leftoverPattern.test(original[index] ?? ''))
      found.push(`${where}: an unfinished place; finish it or write an issue`);
  });
  return found;
}

const mayNotReadEnvironment = (path: string): boolean =>
  path.startsWith('libs/') && !path.endsWith('.test.ts') && !mayReadEnvironment.test(path);

function imports(path: string, text: string): string[] {
  return ts.preProcessFile(text).importedFiles.flatMap(({ fileName }) => {
    if (testFilePattern.test(fileName))
      return [`${path}: ${fileName} is a test file; put what both need into a file of its own`];
    if (processStarters.test(fileName) && !mayStartProcesses.test(path))
      return [`${path}: ${fileName} starts processes; run programs with childRunner of @lateen/child-process`];
    return [];
  });
}

/** The text with comments and string contents blanked and line breaks kept, so that text about a call is not reported as a call. */
function withoutCommentsAndStrings(source: ts.SourceFile, text: string): string {
  const keep = new Uint8Array(text.length);
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node) || isText(node)) return;
    const children = node.getChildren(source);
    for (const child of children) visit(child);
    if (children.length > 0) return;
    keep.fill(1, node.getStart(source), node.getEnd());
  };
  visit(source);
  return Array.from(text, (character, index) => (keep[index] === 1 || character === '\n' ? character : ' ')).join('');
}

function isText(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node)
  );
}

function longFunctions(path: string, source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && !isTestBody(path, node)) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      const count = last - first + 1;
      if (count > functionLinesMax)
        found.push(`${path}:${first + 1}: a function of ${count} lines, more than ${functionLinesMax}; split it`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The callbacks of `describe` and of conformance suites contain many tests, so their length is not limited. */
function isTestBody(path: string, node: ts.Node): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/') || path.startsWith('libs/testing/')
    ? ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node)
    : false;
}
