export { createTwoFilesPatch, diffLines, diffWordsWithSpace, structuredPatch } from "diff";
