use crate::tree::Tree;

fn check(json: &str, rest: &str, expected: &str) {
    let tree = Tree::new("");
    tree.write("project/a.ipynb", json);
    tree.check("Read", &format!(r#"{{"file_path":"a.ipynb"{rest}}}"#), expected);
}

const NOTEBOOK: &str = r##"{"nbformat":4,"metadata":{},"cells":[
    {"cell_type":"markdown","source":["# Title\n","text"]},
    {"cell_type":"code","source":"print(1)\n</cell>","execution_count":1,"outputs":[
        {"output_type":"stream","name":"stdout","text":["1\n","</output>"]},
        {"output_type":"error","ename":"E","evalue":"why","traceback":["at 1","at 2"]},
        {"output_type":"display_data","data":{"image/png":"iVBO\nRw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==","text/plain":"x"},"metadata":{}},
        {"output_type":"display_data","data":{"image/png":"bm8=","application/json":{"a":[1]}}},
        {"output_type":"execute_result","data":{"text/plain":["42"],"text/html":"<b>42</b>"}}]},
    {"cell_type":"raw","source":[]}
]}"##;

#[test]
fn cells_and_outputs() {
    check(
        NOTEBOOK,
        "",
        r#"<cell number="1" kind="markdown">
# Title
text
</cell>
<cell number="2" kind="code">
print(1)
&lt;/cell>
</cell>
<output cell="2" kind="text">
1
&lt;/output>
</output>
<output cell="2" kind="error">
E: why
at 1
at 2
</output>
<output cell="2" kind="image">
(image 1 behind the cells)
</output>
<output cell="2" kind="text">
(an image that is left out)
</output>
<output cell="2" kind="text">
42
</output>
<cell number="3" kind="raw">

</cell>
{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}}"#,
    );
}

#[test]
fn some_cells() {
    check(
        NOTEBOOK,
        r#","offset":3,"limit":5"#,
        "<cell number=\"3\" kind=\"raw\">\n\n</cell>\nOf the notebook's 3 cells, 3 to 3 are shown.",
    );
    check(
        NOTEBOOK,
        r#","limit":1"#,
        "<cell number=\"1\" kind=\"markdown\">\n# Title\ntext\n</cell>\n\
         Of the notebook's 3 cells, 1 to 1 are shown. To read on, use `offset` 2.",
    );
    check(NOTEBOOK, r#","offset":4"#, "error: a.ipynb: there is no cell 4: it has 3");
    check(r#"{"cells":[]}"#, "", "(There are no cells in it.)");
}

#[test]
fn long_ones_are_cut() {
    let tree = Tree::new("");
    let cell = |source: &str| format!(r#"{{"cell_type":"code","source":"{source}"}}"#);
    let long = "x".repeat(300_000);
    tree.write("project/a.ipynb", format!(r#"{{"cells":[{},{}]}}"#, cell(&long), cell("y")));
    let result = tree.result("Read", r#"{"file_path":"a.ipynb"}"#);
    assert!(result.len() < 263_000);
    assert!(result.ends_with(
        "x\n[37856 bytes are left out]\n</cell>\nOf the notebook's 2 cells, 1 to 1 are shown. To \
         read on, use `offset` 2."
    ));
}

#[test]
fn an_invalid_notebook_is_an_error() {
    check("{}", "", "error: a.ipynb: not a notebook: missing field `cells` at line 1 column 2");
    check(
        "[7]",
        "",
        "error: a.ipynb: not a notebook: invalid type: integer `7`, expected a sequence at line 1 column 2",
    );
    let deep = format!(r#"{{"cells":[{{"cell_type":"code","source":{}"#, "[".repeat(10_000));
    let tree = Tree::new("");
    tree.write("project/a.ipynb", deep);
    let result = tree.result("Read", r#"{"file_path":"a.ipynb"}"#);
    assert!(result.contains("recursion limit exceeded"), "{result}");
}
