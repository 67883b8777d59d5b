// A drawing as PNG, made by the browser from the SVG that the server keeps.

/** Download the picture of an SVG file as PNG, in twice its size, so that letters are sharp. */
export async function savePicture(address, name) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error("The picture is not there any more: learn again.");
  const light = (await answer.text()).replaceAll("(prefers-color-scheme:dark)", "(max-width:0)"); // documents are light
  const source = URL.createObjectURL(new Blob([light], {type: "image/svg+xml"}));
  try {
    const image = new Image();
    image.src = source;
    await image.decode();
    const scale = Math.min(2, 16000 / Math.max(image.naturalWidth, image.naturalHeight)); // browsers have a largest canvas
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(scale * image.naturalWidth);
    canvas.height = Math.round(scale * image.naturalHeight);
    const ground = canvas.getContext("2d");
    ground.fillStyle = "#ffffff";
    ground.fillRect(0, 0, canvas.width, canvas.height);
    ground.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise(resolve => canvas.toBlob(resolve, "image/png"));
    if (blob === null) throw new Error("This browser cannot make so large a picture: take the SVG.");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  } finally {
    URL.revokeObjectURL(source);
  }
}
